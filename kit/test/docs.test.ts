import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { pathToFileURL } from 'node:url';
import { Worker } from 'node:worker_threads';
import { describe, expect, it, onTestFinished } from 'vitest';
import { startMiftah } from '../src/index.ts';

/**
 * The programs of docs/testing-your-app.md. Those of the examples run from tarballs in
 * test/packages.test.ts, the one for a clone in service/test/docs/readme-snippet.test.ts.
 */

const ROOT = join(import.meta.dirname, '..', '..');
const KIT = new URL('../src/index.ts', import.meta.url).href;

/** The application has it: here it is of the service. */
const STANDARD_WEBHOOKS = pathToFileURL(
  createRequire(join(ROOT, 'service', 'package.json')).resolve('standardwebhooks'),
).href;

const page = readFileSync(join(ROOT, 'docs', 'testing-your-app.md'), 'utf8');
const programsOf = (language: string) =>
  [...page.matchAll(new RegExp(`\`\`\`${language}\\n([^]*?)\`\`\``, 'g'))].map(
    ([, code = '']) => code,
  );

/**
 * Runs programs one after the other, in a thread that has to end by itself.
 * @returns what each has printed
 */
async function runAll(codes: readonly string[]): Promise<readonly string[]> {
  const folder = mkdtempSync(join(tmpdir(), 'testing-doc-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  for (const [place, code] of codes.entries()) {
    const here = code
      .replace("'miftah/testing'", JSON.stringify(KIT))
      .replace("'./app.mjs'", JSON.stringify(import.meta.resolve('./support/openid-app.ts')))
      .replace("'openid-client'", JSON.stringify(import.meta.resolve('openid-client')))
      .replace("'standardwebhooks'", JSON.stringify(STANDARD_WEBHOOKS));
    writeFileSync(join(folder, `${place}.mjs`), here);
  }
  const lines = codes.map((_, place) => `await import('./${place}.mjs');`);
  writeFileSync(join(folder, 'main.mjs'), lines.join(`\nconsole.log('${BETWEEN}');\n`));
  const thread = new Worker(join(folder, 'main.mjs'), { stdout: true });
  const [printed] = await Promise.all([text(thread.stdout), once(thread, 'exit')]);
  return printed.split(BETWEEN).map((part) => part.trim());
}

const BETWEEN = '---';

describe('docs/testing-your-app.md', () => {
  it('has programs that print what they say, and end', async () => {
    const [first = '', next = '', expiry = '', faults = '', people = '', many = '', ...others] =
      programsOf('js');
    const [openid = '', ciba = '', checks = '', hooks = '', scopes = ''] = others;
    const programs = [
      first,
      next,
      expiry,
      faults,
      people,
      scopes,
      faults,
      openid,
      many,
      hooks,
      ciba,
      checks,
    ];
    const said = await runAll(programs);
    const seen = 'started provider.unavailable started provider.unavailable';
    expect(said.slice(0, 3)).toEqual([
      'true\nAmal Salem Nasser Alnamuthaji',
      'pending\nrejected',
      '2031-01-31T09:05:00.000Z',
    ]);
    expect(said[3]?.startsWith(seen)).toBe(true);
    expect(said.slice(4, 7)).toEqual(['1000012201', '0 1\n1000001101', said[3]]);
    expect(said[7]).toBe('Amal Salem Nasser Alnamuthaji');
    expect(said[8]).toMatch(/^(?:\d{10}\n){2}\d{10}$/);
    expect(said[9]).toBe('attempt.authenticated authenticated\nattempt.authenticated');
    expect(said[10]).toBe('true\nstring');
    // It says nothing unless the client has accepted a wrong token.
    expect(said.slice(11)).toEqual(['']);
  });

  it('has a code flow by curl, up to the tokens', async () => {
    const miftah = await startMiftah({ openid: true });
    onTestFinished(() => miftah.stop());
    const folder = mkdtempSync(join(tmpdir(), 'testing-doc-'));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    const lines = programsOf('sh').find((code) => code.includes('/openid/authorize')) ?? '';
    const script = lines.replace('http://127.0.0.1:3000', miftah.url);
    const child = spawn('bash', ['-e', '-c', script], { cwd: folder });
    const [said] = await Promise.all([text(child.stdout), once(child, 'close')]);
    expect(said).toContain(`{"access_token":"`);
    expect(said).toContain(`"id_token":"`);
  });

  it.each([
    ['js', 'vitest/login.test.mjs'],
    ['js', 'node-test/app.test.mjs'],
    ['js', 'playwright/app.test.mjs'],
    ['python', 'python/test_login.py'],
  ])('has as %s the example %s', (language, path) => {
    const example = readFileSync(join(ROOT, 'examples', 'testing', path), 'utf8');
    expect(programsOf(language)).toContain(example);
  });
});
