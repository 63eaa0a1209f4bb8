import {
  closeSync,
  existsSync,
  fsyncSync,
  linkSync,
  mkdirSync,
  openSync,
  rmSync,
  statSync,
} from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { faultWords, wordsOf } from '../../errors/fault-words.ts';
import { migrate } from './migrations/migrate.ts';
import { StoreOpenError } from '../store-fault.ts';

/** Rights only for the service's own user. */
const DIRECTORY_MODE = 0o700;
/** SQLite gives its write-ahead log and shared memory the mode of the file beside them. */
const FILE_MODE = 0o600;

export const DATABASE = 'miftah.db';
/** The store that a restore has replaced. */
export const REPLACED_DATABASE = `${DATABASE}.replaced`;
const LOCK = 'miftah.lock';

/** The files that a service and a command read and write. */
export const FILES_IN_USE = [DATABASE, `${DATABASE}-wal`, `${DATABASE}-shm`, LOCK] as const;

/** Every file that a store may keep in its directory. */
export const STORE_FILES = [...FILES_IN_USE, REPLACED_DATABASE] as const;

/** The folder inside the data directory for a backup that is to replace the store. */
export const STAGE = 'restoring';

/** The caller holds the lock, as a running restore does, so the folder is of one that has ended. */
export function removeStaged(directory: string): void {
  rmSync(join(resolve(directory), STAGE), { recursive: true, force: true });
}

export interface DataFiles {
  readonly database: string;
  readonly lock: string;
}

/**
 * Makes the directory and those of its files that are missing, and flushes them to the disk.
 * @throws StoreOpenError
 */
export function prepareDataDirectory(directory: string): DataFiles {
  const path = resolve(directory);
  return orUnavailable(path, () => makeFiles(path));
}

function orUnavailable<Made>(path: string, make: () => Made): Made {
  try {
    return make();
  } catch (error) {
    if (error instanceof StoreOpenError) throw error;
    const advice =
      faultWords(error).remedy === null
        ? ' Set DATA_DIR to a folder that this user may write into.'
        : '';
    const words = `DATA_DIR ${path} can't be made, or takes no files: ${wordsOf(error)}.${advice}`;
    throw new StoreOpenError('store.unavailable', words, { cause: error });
  }
}

/**
 * Makes the lock file alone, for a command that keeps every service out of the folder.
 * @throws StoreOpenError
 */
export function prepareLock(directory: string): string {
  const path = resolve(directory);
  return orUnavailable(path, () => {
    const lastSafe = makeDirectory(path);
    const lock = join(path, LOCK);
    createPrivately(lock);
    syncUpwards(path, lastSafe);
    return lock;
  });
}

/**
 * For a command that works beside the service: makes nothing.
 * @throws StoreOpenError when there is no store
 */
export function findDatabase(directory: string): string {
  const file = join(resolve(directory), DATABASE);
  if (existsSync(file)) return file;
  const advice = 'Set DATA_DIR to the folder of the service, or start it once.';
  throw new StoreOpenError('store.unavailable', `${file} is not there. ${advice}`);
}

function makeFiles(path: string): DataFiles {
  const lastSafe = makeDirectory(path);
  const files = { database: join(path, DATABASE), lock: join(path, LOCK) };
  if (!existsSync(files.database)) createDatabase(files.database);
  requireContent(files.database);
  createPrivately(files.lock);
  syncUpwards(path, lastSafe);
  return files;
}

/**
 * Creates the tables in a temporary file, and then renames it to the database's name. A process
 * that dies in between leaves no database file, so an empty database file is never ours.
 */
function createDatabase(file: string): void {
  const draft = `${file}.${process.pid}`;
  rmSync(draft, { force: true });
  createPrivately(draft);
  try {
    migrate(draft);
    unlessThere(() => linkSync(draft, file));
  } finally {
    for (const path of [draft, `${draft}-journal`]) rmSync(path, { force: true });
  }
}

/**
 * New tables in an empty file would hide that the data is lost. The log may still contain the data.
 */
function requireContent(file: string): void {
  const sizes = [file, `${file}-wal`].map((path) => (existsSync(path) ? sizeOf(path) : 0));
  if (Math.max(...sizes) > 0) return;
  const what = `${file} is empty: its content is lost, or somebody else has made it`;
  const advice = 'Restore a backup. Where there never was any data, remove it and start again.';
  throw new StoreOpenError('store.corrupt', `${what}. ${advice}`);
}

/**
 * Returns the deepest directory of the path that existed before. Not with Node's `recursive`, which
 * never returns where a directory exists and takes no new ones, as in /proc.
 */
function makeDirectory(path: string): string {
  const parent = dirname(path);
  if (existsSync(path) || parent === path) return path;
  const lastSafe = makeDirectory(parent);
  unlessThere(() => mkdirSync(path, { mode: DIRECTORY_MODE }));
  return lastSafe;
}

export const lockFileOf = (directory: string) => join(resolve(directory), LOCK);

export function hasDatabase(directory: string): boolean {
  return existsSync(join(directory, DATABASE));
}

export function sizeOf(file: string): number {
  return statSync(file).size;
}

/**
 * Never opens a file that exists: POSIX drops all locks that a process has on a file when it closes
 * any of its descriptors, those of an already open store included.
 */
function createPrivately(file: string): void {
  unlessThere(() => closeSync(openSync(file, 'ax', FILE_MODE)));
}

/** Another process may have created it first. */
function unlessThere(make: () => void): void {
  try {
    make();
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error;
  }
}

/**
 * A new directory entry survives a power cut only after its directory is flushed: those of the
 * directories made here, and `last`.
 */
function syncUpwards(directory: string, last: string): void {
  syncDirectory(directory);
  if (directory !== last) syncUpwards(dirname(directory), last);
}

export function syncDirectory(directory: string): void {
  // Windows can't flush a directory, and does not need it.
  if (process.platform === 'win32') return;
  const descriptor = openSync(directory, 'r');
  fsyncSync(descriptor);
  closeSync(descriptor);
}
