import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import process from 'node:process';
import { createInterface } from 'node:readline';
import { onTestFinished } from 'vitest';
import { root } from '../../../scripts/run.mjs';
import { runIn, strangersEnvironment, type EmptyFolder, type Ran } from './installed.ts';

export interface StartedByNpx {
  /** That of npx, which is not the service. */
  readonly child: ChildProcess;
  /** The origin of the service. */
  readonly address: string;
  /** When nothing writes to the pipe any more, so the service has ended too. */
  readonly closed: Promise<unknown>;
}

/**
 * `npx miftah start` or `dev`, with the Node at this path.
 * @throws Error with what was said, when it ends before it listens
 */
export async function startByNpx(
  folder: EmptyFolder,
  node: string,
  command: string,
): Promise<StartedByNpx> {
  const own = mkdtempSync(join(folder.path, 'npx-'));
  const keeps = command === 'start' ? ['--data-dir', join(own, 'data')] : [];
  const { PATH = '', ...others } = strangersEnvironment();
  const env = { ...others, PATH: [dirname(node), PATH].join(delimiter), TMPDIR: own };
  const args = ['miftah', command, '--port', '0', ...keeps];
  const stdio = ['ignore', 'pipe', 'pipe'] as const;
  // In its own process group, so that what a failed test leaves can be ended.
  const child = spawn('npx', args, { cwd: folder.path, env, stdio: [...stdio], detached: true });
  onTestFinished(() => endGroup(child));
  const closed = once(child, 'close');
  const said: string[] = [];
  child.stderr.setEncoding('utf8').on('data', (text: string) => said.push(text));
  for await (const line of createInterface({ input: child.stdout })) {
    const [, api] = /^ *API +(\S+)$/.exec(line) ?? [];
    if (api === undefined) continue;
    child.stdout.resume();
    return { child, address: new URL(api).origin, closed };
  }
  throw new Error(said.join(''));
}

function endGroup({ pid }: ChildProcess): void {
  try {
    if (pid !== undefined) process.kill(-pid, 'SIGKILL');
  } catch {
    // It has ended, as it should.
  }
}

/** Runs the README's lines for users' tests unchanged. @returns also the folders that they left */
export async function suiteOf(
  folder: EmptyFolder,
  node: string,
): Promise<Ran & { readonly left: readonly string[] }> {
  const readme = readFileSync(join(root, 'README.md'), 'utf8');
  const snippets = [...readme.matchAll(/```js\n([^]*?)```/g)].map(([, code = '']) => code);
  const snippet = snippets.find((code) => code.includes('miftah/testing'));
  if (snippet === undefined) throw new Error('README.md has no lines for installed packages');
  writeFileSync(join(folder.path, 'suite.mjs'), snippet);
  const temporary = mkdtempSync(join(folder.path, 'temporary-'));
  const ran = await runIn(folder.path, node, ['suite.mjs'], { TMPDIR: temporary });
  return { ...ran, left: readdirSync(temporary) };
}
