import { spawn } from 'node:child_process';
import { once } from 'node:events';
import process from 'node:process';
import { findPostgres } from '../../../../scripts/postgres.mjs';
import type { Workshop } from './checkout-copy.ts';

export interface Ended {
  readonly code: number | null;
  readonly output: string;
  readonly isLate: boolean;
}

/** With a bug, many tests wait in vain. They have to give up before their own time limit. */
const WAIT_MS = 20_000;

/**
 * Process groups, by the id of their first process. When it ends, all processes of its group are
 * ended.
 */
const groups = new Set<number>();
process.once('exit', () => {
  for (const group of groups) endGroup(group);
});

/** Runs a Node program in the copy. It and everything it starts is ended at the time limit. */
export async function runBounded(
  { copy, scratch }: Pick<Workshop, 'copy' | 'scratch'>,
  args: readonly string[],
  limitMs: number,
): Promise<Ended> {
  const child = spawn(process.execPath, args, {
    cwd: copy,
    env: environment(scratch),
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  });
  const group = child.pid;
  if (group === undefined) throw new Error(`${args[0]} could not be started`);
  groups.add(group);
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => (output += text));
  }
  const limit = AbortSignal.timeout(limitMs);
  limit.addEventListener('abort', () => endGroup(group));
  // Ends the processes that it leaves behind; its output is complete only after that.
  child.once('exit', () => endGroup(group));
  const [code] = (await once(child, 'close')) as [number | null];
  groups.delete(group);
  return { code, output, isLate: limit.aborted };
}

/**
 * An environment without the settings of the developer or of a test run, but for where PostgreSQL
 * is: programs that were installed into the checkout are not in its copy.
 */
function environment(scratch: string): NodeJS.ProcessEnv {
  const { PATH, HOME, TEST_DATABASE_URL } = process.env;
  const postgres = { TEST_DATABASE_URL, POSTGRES_BIN: findPostgres() };
  return { PATH, HOME, ...postgres, TMPDIR: scratch, NO_COLOR: '1', TEST_WAIT_MS: String(WAIT_MS) };
}

function endGroup(group: number): void {
  try {
    process.kill(-group, 'SIGKILL');
  } catch {
    // The whole group has already ended.
  }
}
