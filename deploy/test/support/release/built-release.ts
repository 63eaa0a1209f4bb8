import { existsSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { holdLock } from '../../../../scripts/lock.mjs';
import { root, run } from '../../../../scripts/run.mjs';

/** The environment variable that names the folder with the releases of a run. */
export const RELEASES = 'TEST_RELEASES';

const FLAGS = { full: [], live: ['--live'] } as const;
export type ReleaseKind = keyof typeof FLAGS;

/** For the hook that asks for a release first: a busy machine needs more than a test may take. */
export const BUILD_LIMIT_MS = 600_000;

/**
 * A release of this checkout, built once in a run of the tests. All tests share it, so none may
 * change it; a test that does copies it first.
 * @returns its folder
 */
export async function builtRelease(kind: ReleaseKind): Promise<string> {
  const folder = process.env[RELEASES];
  if (folder === undefined) throw new Error(`${RELEASES} is set by the project deploy alone`);
  const release = join(folder, kind);
  const unlock = await holdLock(`${release}.lock`);
  try {
    if (!existsSync(release)) await buildTo(release, FLAGS[kind]);
    return release;
  } finally {
    unlock();
  }
}

/**
 * Where the programs of a release keep their compiled code, which halves the processor time of a
 * start: many start, and each user has a folder of its own in there.
 * @returns the variable for a program's environment
 */
export function keptCode(): { readonly NODE_COMPILE_CACHE: string } {
  const folder = process.env[RELEASES];
  if (folder === undefined) throw new Error(`${RELEASES} is set by the project deploy alone`);
  return { NODE_COMPILE_CACHE: join(folder, 'compiled') };
}

/** @throws Error with what the build said */
export async function buildTo(release: string, flags: readonly string[]): Promise<void> {
  const args = [join(root, 'scripts', 'release.ts'), '--out', release, ...flags];
  const { code, output } = await run(process.execPath, args);
  if (code !== 0) throw new Error(output);
}
