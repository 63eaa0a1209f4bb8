import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  closeSync,
  constants,
  existsSync,
  openSync,
  readFileSync,
  readSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { expect, it, onTestFinished } from 'vitest';
import { installed, temporaryFolder } from '../support/init/installed.ts';
import { keptCode } from '../support/release/built-release.ts';

const KEY = /mfk_[\w-]{40,}/;

/** @param out the output: of a descriptor, or of a pipe */
async function rehearse(cwd: string, out: number | 'pipe') {
  const program = (await installed()).program('miftah');
  const child = spawn(program, ['init', '--rehearse', '--dir', 'own'], {
    cwd,
    env: { PATH: '/usr/bin:/bin', ...keptCode() },
    stdio: ['ignore', out, 'pipe'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  const ended = once(child, 'exit') as Promise<[number | null, string | null]>;
  return { child, ended, err: child.stderr === null ? Promise.resolve('') : text(child.stderr) };
}

function opened(path: string, flags: string | number): number {
  const file = openSync(path, flags);
  onTestFinished(() => closeSync(file));
  return file;
}

it.each(['ENOSPC', 'EPIPE'])('a key that could not be printed (%s) is told', async (reason) => {
  const cwd = temporaryFolder();
  const out = reason === 'EPIPE' ? 'pipe' : opened('/dev/full', 'w');
  const { child, ended, err } = await rehearse(cwd, out);
  child.stdout?.destroy();
  expect(await ended).toEqual([1, null]);
  const clients = join(cwd, 'own', 'clients.json');
  const said = await err;
  expect(said).toMatch(/^miftah: the set-up is written, but the key of the application app could/);
  expect(said).toContain(reason);
  expect(said).toContain('Call `miftah client key`');
  expect(said).toContain(`"keys" of ${clients},`);
  expect(said).toMatch(/\nKeep a copy of [^]*\nNext: step 3 of docs\/going-live\.md; .*\n$/);
  expect(said).not.toMatch(KEY);
  expect(readFileSync(clients, 'utf8')).toContain('sha256:');
});

it('a signal between the files and the key does not keep the key from being printed', async () => {
  const cwd = temporaryFolder();
  const path = join(cwd, 'output');
  execFileSync('mkfifo', [path]);
  const fifo = opened(path, constants.O_RDWR | constants.O_NONBLOCK);
  fill(fifo);
  const { child, ended } = await rehearse(cwd, opened(path, 'w'));
  await expect.poll(() => existsSync(join(cwd, 'own', 'miftah.env'))).toBe(true);
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) child.kill(signal);
  let read = '';
  await expect
    .poll(() => (read += drain(fifo)))
    .toMatch(/\nNext: step 3 of docs\/going-live\.md; .*\n/);
  expect(await ended).toEqual([0, null]);
  expect(read).toMatch(KEY);
});

/** So that the next one who writes has to wait. */
function fill(fifo: number): void {
  while (tried(() => writeSync(fifo, ' '.repeat(4096))) > 0);
}

function drain(fifo: number): string {
  const buffer = Buffer.alloc(65_536);
  return buffer
    .toString(
      'utf8',
      0,
      tried(() => readSync(fifo, buffer)),
    )
    .replace(/^ +/, '');
}

/** @returns 0 where it would have to wait */
function tried(change: () => number): number {
  try {
    return change();
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EAGAIN') return 0;
    throw error;
  }
}
