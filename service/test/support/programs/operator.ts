import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { COMPILE_CACHE } from '../../../../scripts/compile-cache.mjs';
import { serviceSettings, type Environment } from '../../../../scripts/rehearsal.ts';
import type { Rehearsal } from '../live/rehearsal.ts';

const MIFTAH = fileURLToPath(new URL('../../../miftah.mjs', import.meta.url));

export interface Said {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

/** Runs an operator's command in its own process, beside the service. */
export async function miftah(
  { plan, service }: Rehearsal,
  args: readonly string[],
  settings: Environment = {},
): Promise<Said> {
  const own = { DATA_DIR: service.dataDir, NODE_COMPILE_CACHE: COMPILE_CACHE };
  const env = { ...serviceSettings(plan), ...own, ...settings };
  const child = spawn(process.execPath, [MIFTAH, ...args], { env });
  const [out, err] = [text(child.stdout), text(child.stderr)];
  const [code] = (await once(child, 'exit')) as [number | null];
  return { code, out: await out, err: await err };
}
