import { accessSync, chmodSync, constants, existsSync, statSync, type Stats } from 'node:fs';
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
  requireOwner(statSync(folder), folder, [ROOT, ownId()]);
  // Looked at once: a service that ends meanwhile removes the files that SQLite writes beside its own.
  const found = names.flatMap((name) => statOf(join(folder, name)));
  for (const { stat, path } of found) requireFile(stat, path);
  for (const { stat, path } of found) requireOwner(stat, path, [ownId()]);
  for (const { path } of found.filter(({ stat }) => isForeign(stat))) tighten(path, chmod);
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

/** Of a link, what it leads to. Nothing where there is no such file. */
function statOf(path: string): { readonly stat: Stats; readonly path: string }[] {
  const stat = statSync(path, { throwIfNoEntry: false });
  return stat === undefined ? [] : [{ stat, path }];
}

const isForeign = ({ mode }: Stats) => (mode & FOREIGN) !== 0;

/** The rights of a folder that a link leads to would be changed, of a device for every program. */
function requireFile(stat: Stats, path: string): void {
  if (stat.isFile()) return;
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
function requireOwner({ uid }: Stats, path: string, allowed: readonly number[]): void {
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
  if (!statOf(path).some(({ stat }) => isForeign(stat))) return;
  const advice = 'give it to the user of this service and take all rights from others';
  throw new Error(`other users may open ${path}, which holds secrets: ${advice}`, { cause });
}
