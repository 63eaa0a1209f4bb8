import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { builtFiles } from './console-files.ts';
import { consoleMissingPage } from './console.ts';

const languageLinks = { ar: '/console?locale=ar', en: '/console?locale=en' };

let folder: string;
beforeEach(() => (folder = mkdtempSync(join(tmpdir(), 'miftah-console-'))));
afterEach(() => rmSync(folder, { recursive: true }));

function builtFrom(script: string) {
  writeFileSync(join(folder, 'console.js'), script);
  writeFileSync(join(folder, 'console.css'), 'p {}');
  return filesOf();
}

const filesOf = () => builtFiles(pathToFileURL(`${folder}/`));

describe('the files of the console', () => {
  it('are not there until both are built, which is seen without a restart', () => {
    expect(filesOf()).toBeNull();
    writeFileSync(join(folder, 'console.js'), 'let it = "be";');
    expect(filesOf()).toBeNull();
    writeFileSync(join(folder, 'console.css'), 'p {}');
    expect(filesOf()).toMatchObject({
      // printf 'let it = "be";' | openssl dgst -sha256 -binary | base64
      scriptHash: 'sha256-KuN2Wo07OXSv+uRvn9t/HuMHgPB5EE2fBUnb42nm0Sg=',
      script: { contentType: 'text/javascript; charset=utf-8' },
      style: { contentType: 'text/css; charset=utf-8' },
    });
  });

  it('have names that change with what is in them', () => {
    const [one, other] = [builtFrom('1'), builtFrom('2')];
    expect(one?.script.path).toMatch(/^\/assets\/console-[0-9a-f]{12}\.js$/);
    expect(one?.script.path).not.toBe(other?.script.path);
    expect(one?.style.path).toBe(other?.style.path);
  });
});

it.each(['ar', 'en'] as const)('a console that is not built says what to run, in %s', (locale) => {
  const { html, script } = consoleMissingPage({ locale, languageLinks });
  expect(html).toContain('<code dir="ltr">node scripts/setup.mjs</code>');
  expect(script).toBeUndefined();
});
