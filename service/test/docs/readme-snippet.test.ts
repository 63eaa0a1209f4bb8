import { execFile } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';

/** Runs the lines for a clone in docs/testing-your-app.md unchanged, except for the folder. */

const run = promisify(execFile);
const ROOT = fileURLToPath(new URL('../../../', import.meta.url));

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'readme-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function runSnippet(settings: Record<string, string> = {}) {
  const document = readFileSync(join(ROOT, 'docs/testing-your-app.md'), 'utf8');
  const snippets = [...document.matchAll(/```js\n([^]*?)```/g)].map(([, code = '']) => code);
  const snippet = snippets.find((code) => code.includes('path/to/miftah')) ?? '';
  const program = join(folder, 'suite.mjs');
  writeFileSync(program, snippet.replace("'path/to/miftah'", JSON.stringify(ROOT)));
  // The folder for temporary files is our own, so that files that are left behind can be found.
  const env = { ...process.env, ...settings, TMPDIR: folder };
  return run(process.execPath, [program], { env, timeout: 300_000 });
}

describe('the lines for the tests of others', () => {
  it('start a service of their own, use it, and leave nothing', async () => {
    const { stdout } = await runSnippet();
    const [address = ''] = stdout.trim().split('\n');
    expect(address).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/api\/v1\/callback\?state=/);
    await expect(fetch(address)).rejects.toThrow('fetch failed');
    expect(left()).toEqual([]);
  });

  it('say that the service did not start, with what it said, and leave nothing', async () => {
    const failed = await runSnippet({ PUBLIC_URL: 'no address' }).catch((error: unknown) => error);
    expect(failed).toMatchObject({ code: 1 });
    const { stderr } = failed as { stderr: string };
    expect(stderr).toContain('PUBLIC_URL');
    expect(stderr).toContain('Miftah did not start');
    expect(left()).toEqual([]);
  });
});

function left(): string[] {
  return readdirSync(folder).filter((name) => name.startsWith('miftah-'));
}
