import { closeSync, existsSync, openSync, readSync, statfsSync, statSync } from 'node:fs';
import process from 'node:process';
import { OTHERS_WRITE, hasMode } from '../../platform/files/modes.ts';
import { faultOfFolder } from '../../platform/files/trusted-folder.ts';
import { asMebibytes } from '../mebibytes.ts';

/** A copy, and a second one that is restored. */
const COPIES = 2;
/** Every SQLite database begins with it (sqlite.org/fileformat2.html). */
const MAGIC = Buffer.from('SQLite format 3\0');

/**
 * Whoever may write into the folder can remove backups, and put others in their place. As with
 * DATA_DIR, a right of every user is refused.
 * @returns what else lets others do that, as a warning; null: nothing
 * @throws Error
 */
export function requireOwnFolder(folder: string, dataDir: string): string | null {
  // By what they are, because a link or a mount gives one folder two names.
  if (isSame(folder, dataDir)) {
    throw new Error(`${folder} is DATA_DIR: name another folder, best of another disk`);
  }
  const fault = faultOfFolder(folder);
  if (process.platform !== 'win32' && existsSync(folder) && hasMode(folder, OTHERS_WRITE)) {
    throw new Error(fault ?? `every user may write into ${folder}: name another folder`);
  }
  return fault;
}

function isSame(one: string, other: string): boolean {
  const [a, b] = [one, other].map((path) =>
    statSync(path, { bigint: true, throwIfNoEntry: false }),
  );
  return a !== undefined && b !== undefined && a.dev === b.dev && a.ino === b.ino;
}

/** @param size of one copy @throws Error that says how much is missing */
export function requireSpace(folder: string, size: number): void {
  const free = freeIn(folder);
  if (free >= size * COPIES) return;
  throw new Error(
    `there is no space for a backup in ${folder}: a copy and the trial of it need ` +
      `${asMebibytes(size * COPIES)}, and ${asMebibytes(free)} are free. Free some space there, or ` +
      'name a folder of another disk',
  );
}

/** Whether what failed there may have failed for want of space, or the rest is needed by others. */
export function isScarce(folder: string, size: number, error: unknown): boolean {
  const code = error instanceof Error && 'code' in error ? error.code : null;
  return code === 'ENOSPC' || code === 'EDQUOT' || freeIn(folder) < size * COPIES;
}

function freeIn(folder: string): number {
  const { bavail, bsize } = statfsSync(folder);
  return bavail * bsize;
}

/** An empty file, or one of another program, is no backup whatever its name is. */
export function isDatabase(file: string): boolean {
  const descriptor = openSync(file, 'r');
  try {
    const begin = Buffer.alloc(MAGIC.length);
    readSync(descriptor, begin, 0, begin.length, 0);
    return begin.equals(MAGIC);
  } finally {
    closeSync(descriptor);
  }
}
