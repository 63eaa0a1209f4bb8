import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { isPackageFile, readJson } from '../../../scripts/release/read-json.ts';
import { root } from '../../../scripts/run.mjs';
import { builtRelease, BUILD_LIMIT_MS } from '../support/release/built-release.ts';
import { ReleaseProcess } from '../support/release/release-process.ts';
import { ownFolder, treeOf } from '../support/release/tree.ts';
import { findFreePort } from '../../../service/test/support/programs/service-process.ts';

/** A release runs wherever it lies, for whoever can read it, and writes nothing into itself. */

beforeAll(async () => {
  await builtRelease('full');
}, BUILD_LIMIT_MS);

const { version } = readJson(join(root, 'package.json'), isPackageFile);

test('the commands run through links, from any folder, with spaces in the path', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'miftah link '));
  try {
    symlinkSync(await builtRelease('full'), join(folder, 'a release'));
    symlinkSync(join('a release', 'bin', 'miftah'), join(folder, 'miftah'));
    const env = { PATH: `${folder}:/usr/bin:/bin` };
    const settings = { env, cwd: '/', encoding: 'utf8' } as const;
    expect(execFileSync('miftah', ['--version'], settings)).toBe(`${version}\n`);
    expect(execFileSync(join(folder, 'miftah'), ['--version'], settings)).toBe(`${version}\n`);
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test('the stripped Node has what the programs use of it', async () => {
  const program = `
    const { DatabaseSync } = require('node:sqlite');
    const { Worker } = require('node:worker_threads');
    const sum = new DatabaseSync(':memory:').prepare('select 40 + 2 as sum').get().sum;
    new Worker(\`require('node:worker_threads').parentPort.postMessage(\${sum})\`, { eval: true })
      .once('message', (answer) => console.log(process.version, answer));
  `;
  const node = join(await builtRelease('full'), 'bin', 'node');
  const said = execFileSync(node, ['--eval', program], { encoding: 'utf8' });
  expect(said).toBe(`${process.version} 42\n`);
});

test('the service runs as a user who can only read it, and ends by a signal', async () => {
  const release = await builtRelease('full');
  const folder = ownFolder();
  const before = treeOf(release);
  const port = await findFreePort();
  const settings = { PORT: String(port), DATA_DIR: join(folder, 'data') };
  try {
    await using service = new ReleaseProcess(release, ['miftah', 'start'], { settings });
    await service.ready(`http://127.0.0.1:${port}`);
    const program = readFileSync(`/proc/${service.pid}/cmdline`, 'utf8').split('\0')[0];
    expect(program).toBe(join(release, 'bin', 'node'));
    const reader = await fetch(`http://127.0.0.1:${port}/docs/reader.js`);
    expect((await reader.text()).length).toBeGreaterThan(1_000_000);
    const { code, err } = await service.stop();
    expect({ code, err }).toEqual({ code: 0, err: '' });
  } finally {
    rmSync(folder, { recursive: true });
  }
  expect(treeOf(release)).toEqual(before);
});

test('with OPENID=on it is an OpenID Provider, whose library is there', async () => {
  const folder = ownFolder();
  const port = await findFreePort();
  const origin = `http://127.0.0.1:${port}`;
  const settings = { PORT: String(port), DATA_DIR: join(folder, 'data'), OPENID: 'on' };
  try {
    const release = await builtRelease('full');
    await using service = new ReleaseProcess(release, ['miftah', 'start'], { settings });
    await service.ready(origin);
    const answer = await fetch(`${origin}/openid/jwks`);
    const { keys } = (await answer.json()) as { keys: readonly { kty: string }[] };
    // Of each kind the one that signs, and the next one.
    expect(keys.map(({ kty }) => kty).toSorted()).toEqual(['EC', 'EC', 'RSA', 'RSA']);
  } finally {
    rmSync(folder, { recursive: true });
  }
});
