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
import { migrate } from '../migrations/migrate.ts';
import { StoreOpenError } from '../store-fault.ts';

/** Only the service's own user may look inside. */
const DIRECTORY_MODE = 0o700;
/** SQLite gives its write-ahead log and shared memory the mode of the file beside them. */
const FILE_MODE = 0o600;

const DATABASE = 'miftah.db';
const LOCK = 'miftah.lock';

/** Every file that a store may keep in its directory. */
export const STORE_FILES = [
  DATABASE,
  `${DATABASE}-wal`,
  `${DATABASE}-shm`,
  `${DATABASE}.replaced`,
  LOCK,
] as const;

export interface DataFiles {
  readonly database: string;
  readonly lock: string;
}

/**
 * Makes what is missing of the directory and its files, and has a power cut keep them.
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
    const reason = error instanceof Error ? error.message : String(error);
    const what = `${path} can't be made, or takes no files: ${reason}`;
    const advice = 'Set DATA_DIR to a folder that this user may write into.';
    throw new StoreOpenError('store.unavailable', `${what}. ${advice}`, { cause: error });
  }
}

/**
 * The lock alone, for somebody who is to keep every service out of the folder.
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
 * For somebody who works beside the service: nothing is made.
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
 * The database is there with its tables or not at all: a process can die in between, and an empty
 * file is then never one of ours.
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

/** Made anew in silence, it would hide that everything is lost. The log may have all of it still. */
function requireContent(file: string): void {
  const sizes = [file, `${file}-wal`].map((path) => (existsSync(path) ? sizeOf(path) : 0));
  if (Math.max(...sizes) > 0) return;
  const what = `${file} is empty: its content is lost, or somebody else has made it`;
  const advice = 'Restore a backup. Where there never was any data, remove it and start again.';
  throw new StoreOpenError('store.corrupt', `${what}. ${advice}`);
}

/**
 * Gives the last directory on the way that was there before. Node's own recursion never ends where
 * a directory is there and takes no new ones, as in /proc.
 */
function makeDirectory(path: string): string {
  const parent = dirname(path);
  if (existsSync(path) || parent === path) return path;
  const lastSafe = makeDirectory(parent);
  unlessThere(() => mkdirSync(path, { mode: DIRECTORY_MODE }));
  return lastSafe;
}

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

/** Another process may have been first. */
function unlessThere(make: () => void): void {
  try {
    make();
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error;
  }
}

/** A new entry is safe when the directory that holds it is, up to the last one that was there. */
function syncUpwards(directory: string, last: string): void {
  syncDirectory(directory);
  if (directory !== last) syncUpwards(dirname(directory), last);
}

export function syncDirectory(directory: string): void {
  // Windows has no way to flush a directory, and needs none.
  if (process.platform === 'win32') return;
  const descriptor = openSync(directory, 'r');
  fsyncSync(descriptor);
  closeSync(descriptor);
}
