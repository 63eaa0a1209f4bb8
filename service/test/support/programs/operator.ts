import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { COMPILE_CACHE } from '../../../../scripts/compile-cache.mjs';
import { serviceSettings, type Environment } from '../../../../scripts/rehearsal.ts';
import type { Rehearsed } from '../live/rehearsal.ts';
import { drive } from '../drive/drive.ts';
import { programFile } from '../../../../scripts/program-files.ts';

const MIFTAH = programFile('miftah');

/** No instance runs there: a command that drives one is told where in its settings. */
const NOWHERE = 'http://127.0.0.1:9';

export interface Said {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

/** Runs an operator's command beside the service of a rehearsal. */
export async function miftah(
  { plan, service }: Rehearsed,
  args: readonly string[],
  settings: Environment = {},
): Promise<Said> {
  return runMiftah(args, { ...serviceSettings(plan), DATA_DIR: service.dataDir, ...settings });
}

/**
 * Runs an operator's command with these settings and no others, in this process: a process of its
 * own takes a third of a second of the processor. `input` is what its questions are answered with.
 */
export async function runMiftah(
  args: readonly string[],
  environment: Environment,
  input = '',
): Promise<Said> {
  const lines = input.split('\n').slice(0, -1);
  const { code, out, err } = await drive(NOWHERE, args, { environment, input: lines });
  return { code, out, err };
}

/**
 * Runs the program in its own process, for tests of what a process alone has: its standard input,
 * its exit code, its signals. `input` is its standard input.
 */
export async function runMiftahProgram(
  args: readonly string[],
  settings: Environment,
  input = '',
): Promise<Said> {
  const env = { NODE_COMPILE_CACHE: COMPILE_CACHE, ...settings };
  const child = spawn(process.execPath, [MIFTAH, ...args], { env });
  child.stdin.end(input);
  const [out, err] = [text(child.stdout), text(child.stderr)];
  const [code] = (await once(child, 'exit')) as [number | null];
  return { code, out: await out, err: await err };
}
