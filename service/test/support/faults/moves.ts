import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import process from 'node:process';
import { text } from 'node:stream/consumers';
import { onTestFinished } from 'vitest';
import { COMPILE_CACHE } from '../../../../scripts/compile-cache.mjs';
import { programFile } from '../../../../scripts/program-files.ts';

const LOOK_INTERVAL_MS = 100;

/** `miftah move` as a program of its own, and the most memory that it has had. */
export function spawnMove(settings: Record<string, string>, to: string) {
  const env = { NODE_COMPILE_CACHE: COMPILE_CACHE, ...settings };
  const args = [programFile('miftah'), 'move', '--to', to];
  const child = spawn(process.execPath, args, { env });
  onTestFinished(() => void child.kill('SIGKILL'));
  const [out, err] = [text(child.stdout), text(child.stderr)];
  let mostKb = 0;
  const looking = setInterval(
    () => (mostKb = Math.max(mostKb, memoryOf(child.pid))),
    LOOK_INTERVAL_MS,
  );
  const ended = (once(child, 'exit') as Promise<[number | null, string | null]>).then(
    async ([code, signal]) => {
      clearInterval(looking);
      return { code, signal, out: await out, err: await err, mostKb };
    },
  );
  return { child, ended };
}

/** The highest so far, in KB; 0 when it has ended. */
function memoryOf(pid = 0): number {
  try {
    // One that has ended and was not asked yet has a status without it.
    const status = readFileSync(`/proc/${pid}/status`, 'utf8');
    return Number(/VmHWM:\s+(\d+)/.exec(status)?.[1] ?? 0);
  } catch {
    return 0;
  }
}
