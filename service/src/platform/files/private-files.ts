import { accessSync, chmodSync, constants, existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { GROUP_RIGHTS, GROUP_WRITES, hasMode, OTHERS_RIGHTS, OTHERS_WRITE } from './modes.ts';
import { shellWord } from '../shell-word.ts';

const PRIVATE_FILE = 0o600;
const FOREIGN = GROUP_RIGHTS + OTHERS_RIGHTS;
export const ROOT = 0;

/**
 * Makes the files in the data folder private to their owner, including files that came from a
 * backup or a copy. Windows has no such file modes.
 * @returns warnings for the operator about rights that may be intended
 * @throws Error when the folder or a file belongs to another user or can't be made private, when a
 * file is none, or when every user may write into the folder
 */
export function keepPrivate(
  folder: string,
  names: readonly string[],
  chmod: (path: string, mode: number) => void = chmodSync,
): readonly string[] {
  if (process.platform === 'win32' || !existsSync(folder)) return [];
  if (hasMode(folder, OTHERS_WRITE)) {
    throw new Error(
      `every user may write into ${folder}: take that right away, or set DATA_DIR to a folder ` +
        'below it, which is then made for this user only',
    );
  }
  // Mounted volumes look like this: root owns the folder, and the service is in the folder's group.
  requireOwner(folder, [ROOT, ownId()]);
  const paths = names.map((name) => join(folder, name)).filter((path) => existsSync(path));
  for (const path of paths) requireFile(path);
  for (const path of paths) requireOwner(path, [ownId()]);
  for (const path of paths.filter((one) => hasMode(one, FOREIGN))) tighten(path, chmod);
  if (!hasMode(folder, GROUP_WRITES)) return [];
  return [
    `every user of its group may write into ${folder}, and put other files in the place of ours`,
  ];
}

/** A file that this user can't work with. Neither text ends with a full stop. */
interface ClosedFile {
  readonly what: string;
  readonly remedy: string;
}

/** The first of these files that is there and may not be read and written; null: there is none. */
export function closedFile(folder: string, names: readonly string[]): ClosedFile | null {
  const paths = names.map((name) => join(folder, name)).filter((path) => existsSync(path));
  const path = paths.find((one) => !isOpen(one, constants.R_OK | constants.W_OK));
  if (path === undefined) return null;
  const { uid } = statSync(path);
  const what = `${path} may not be read and written by this user (${ownId()})`;
  if (uid === ownId()) return { what, remedy: `run: chmod 600 ${shellWord(path)}` };
  const remedy = 'give it to the user of the service with chown, and run this as that user';
  return { what: `${what}: it is of the user ${uid}`, remedy };
}

/** @param rights of node:fs, such as `constants.R_OK` */
export function isOpen(path: string, rights: number): boolean {
  try {
    accessSync(path, rights);
    return true;
  } catch {
    return false;
  }
}

/** The rights of what a link leads to would be changed, of a device for every program. */
function requireFile(path: string): void {
  if (statSync(path).isFile()) return;
  throw new Error(`${path} is no regular file: put the file itself there`);
}

/** The user id on POSIX systems; other systems have none to compare. */
export function ownId(): number {
  return process.getuid?.() ?? ROOT;
}

/**
 * The owner of a file can change it whatever its mode is; the owner of a folder can replace its
 * files.
 */
function requireOwner(path: string, allowed: readonly number[]): void {
  const { uid } = statSync(path);
  if (allowed.includes(uid)) return;
  throw new Error(
    `${path} belongs to another user (${uid}) than the one that runs this (${ownId()}): ` +
      'run it as that user, or give the folder and all that is in it to this one with chown',
  );
}

/** Checks the mode afterwards, because some file systems accept a mode without storing it. */
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
