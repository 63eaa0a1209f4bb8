import { spawn } from 'node:child_process';
import { once } from 'node:events';
import process from 'node:process';
import type { Workshop } from './checkout-copy.ts';

export interface Ended {
  readonly code: number | null;
  readonly output: string;
  readonly isLate: boolean;
}

/** Processes of one group, by the id of their first: all of them end with it. */
const groups = new Set<number>();
process.once('exit', () => {
  for (const group of groups) endGroup(group);
});

/** A Node program in the copy, with all that it starts; none of them outlives the limit. */
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
  // Whatever it leaves behind ends with it, and only then its output is whole.
  child.once('exit', () => endGroup(group));
  const [code] = (await once(child, 'close')) as [number | null];
  groups.delete(group);
  return { code, output, isLate: limit.aborted };
}

/** Neither what a developer has set nor what a test run sets changes what is measured here. */
function environment(scratch: string): NodeJS.ProcessEnv {
  const { PATH, HOME } = process.env;
  return { PATH, HOME, TMPDIR: scratch, NO_COLOR: '1' };
}

function endGroup(group: number): void {
  try {
    process.kill(-group, 'SIGKILL');
  } catch {
    // All of it has ended.
  }
}
