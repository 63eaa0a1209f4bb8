import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { COMPILE_CACHE } from '../../../../scripts/compile-cache.mjs';
import { serviceSettings, type Environment } from '../../../../scripts/rehearsal.ts';
import type { Rehearsal } from '../live/rehearsal.ts';
import { programFile } from './program-files.ts';

const MIFTAH = programFile('miftah');

export interface Said {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

/** Runs an operator's command in its own process, beside the service of a rehearsal. */
export async function miftah(
  { plan, service }: Rehearsal,
  args: readonly string[],
  settings: Environment = {},
): Promise<Said> {
  return runMiftah(args, { ...serviceSettings(plan), DATA_DIR: service.dataDir, ...settings });
}

/** Runs an operator's command with these settings and no others. `input` is its standard input. */
export async function runMiftah(
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
