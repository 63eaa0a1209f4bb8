import { chmodSync, existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';

const PRIVATE_FILE = 0o600;
/** Whatever the group and all others may do. */
const FOREIGN = 0o077;
const WRITABLE_BY_ALL = 0o002;

/**
 * Has the files in the data folder for their owner only, also those that came with a backup or a
 * copy. Modes say nothing on Windows.
 * @throws Error when a file can't be made private, or when anybody may put files into the folder
 */
export function keepPrivate(
  folder: string,
  names: readonly string[],
  chmod: (path: string, mode: number) => void = chmodSync,
): void {
  if (process.platform === 'win32' || !existsSync(folder)) return;
  if (hasMode(folder, WRITABLE_BY_ALL)) {
    throw new Error(
      `every user may write into ${folder}: take that right away, or set DATA_DIR to a folder ` +
        'below it, which is then made for this user only',
    );
  }
  for (const path of names.map((name) => join(folder, name)).filter(isShared)) {
    tighten(path, chmod);
  }
}

function isShared(path: string): boolean {
  return existsSync(path) && hasMode(path, FOREIGN);
}

function hasMode(path: string, bits: number): boolean {
  return (statSync(path).mode & bits) !== 0;
}

/** Looks again afterwards: some file systems take a mode and forget it. */
function tighten(path: string, chmod: (path: string, mode: number) => void): void {
  let cause: unknown;
  try {
    chmod(path, PRIVATE_FILE);
  } catch (error) {
    cause = error;
  }
  if (!hasMode(path, FOREIGN)) return;
  const advice = 'give it to the user of this service and take all rights from others';
  throw new Error(`other users may open ${path}, which holds secrets: ${advice}`, { cause });
}
