import {
  chmodSync,
  closeSync,
  copyFileSync,
  existsSync,
  fsyncSync,
  linkSync,
  mkdirSync,
  openSync,
  renameSync,
  rmSync,
} from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { faultWords } from '../../errors/fault-words.ts';
import { StoreOpenError } from '../store-fault.ts';
import {
  DATABASE,
  findDatabase,
  hasDatabase,
  REPLACED_DATABASE,
  STAGE,
  syncDirectory,
} from './data-directory.ts';
import { isDiskFull, isResult, RESULT } from './thread/result-codes.ts';
import { faultOf } from './thread/sql-fault.ts';

const PRIVATE_FILE = 0o600;
const PRIVATE_FOLDER = 0o700;
/** How long a copy waits for a lock. A batch of the service holds one for milliseconds. */
const BUSY_TIMEOUT_MS = 5000;

/** SQLite gives its write-ahead log and its shared memory the name of the database with these. */
const LOG_ENDINGS = ['-wal', '-shm'] as const;
const ENDINGS = ['', ...LOG_ENDINGS, '-journal'] as const;

/**
 * Copies a store into one new file, consistent at one point in time, while a service can continue
 * to write.
 * @throws Error when the file exists, has a name of the store, or can't be written; StoreOpenError
 * when there is no store
 */
export function backUp(directory: string, target: string): void {
  const file = findDatabase(directory);
  const copy = resolve(target);
  requireOtherName(file, copy);
  // SQLite accepts an empty file as the target. We create it first, so that it has private rights
  // from the beginning.
  createNew(copy);
  try {
    reading(file, (database) => copyInto(database, copy));
    requireBackup(copy);
    syncFile(copy);
    syncDirectory(dirname(copy));
  } catch (error) {
    removeCopy(copy);
    throw error;
  }
}

/** It runs as the user of the service already, where that user may not write there. */
const OWN_FOLDER =
  'name a folder that this user may write into; for `miftah-admin` that is /var/backups/miftah';

/** The error of a place that an operator has named for a backup, and that takes no files. */
export function placeError(what: string, error: unknown): Error {
  const isForbidden = ['EACCES', 'EPERM'].includes(codeOf(error));
  const { what: why, remedy } = faultWords(error);
  const advice = isForbidden ? OWN_FOLDER : remedy;
  const words = [what, why, ...(advice === null ? [] : [advice])].join(': ');
  return new Error(words, { cause: error });
}

const codeOf = (error: unknown) =>
  error instanceof Error && 'code' in error ? String(error.code) : '';

/** How many bytes a copy of the store has at most: free pages are not copied. @throws as `backUp` */
export function sizeOfCopy(directory: string): number {
  return reading(findDatabase(directory), (database) => Number(sizeIn(database)));
}

const sizeIn = (database: DatabaseSync) =>
  database
    .prepare(
      'SELECT (page_count - freelist_count) * page_size AS size ' +
        'FROM pragma_page_count(), pragma_freelist_count(), pragma_page_size()',
    )
    .get()?.['size'];

/** Removes a copy, whole or not, with what SQLite may have left beside it. */
export function removeCopy(copy: string): void {
  for (const ending of ENDINGS) rmSync(copy + ending, { force: true });
}

/** @throws Error that names the file */
function reading<Read>(file: string, read: (database: DatabaseSync) => Read): Read {
  const database = new DatabaseSync(file, { readOnly: true, timeout: BUSY_TIMEOUT_MS });
  try {
    requireReadable(database, file);
    return read(database);
  } finally {
    database.close();
  }
}

/** Before anything is written, so that a fault is not taken for one of the copy. */
function requireReadable(database: DatabaseSync, file: string): void {
  try {
    sizeIn(database);
  } catch (error) {
    const { code, message } = faultOf(error);
    const advice = isDiskFull(code)
      ? '. To read it, SQLite needs a file of 32 KiB beside it: free some space on that disk'
      : '';
    throw new Error(`${file} could not be read: ${message}${advice}`, { cause: error });
  }
}

/** The error of SQLite names neither of the two files, so the name is added. */
function copyInto(database: DatabaseSync, copy: string): void {
  try {
    database.prepare('VACUUM INTO ?').run(copy);
  } catch (error) {
    const { code, message } = faultOf(error);
    const advice = isResult(code, RESULT.full)
      ? '. Free some space there, or name another disk'
      : '';
    throw new Error(`${copy} could not be written: ${message}${advice}`, { cause: error });
  }
}

/**
 * SQLite would read a file of such a name as a part of the store, and a restore would take it for
 * the store that an earlier one has replaced. @throws Error
 */
function requireOtherName(database: string, copy: string): void {
  const ofSqlite = ENDINGS.map((ending) => DATABASE + ending);
  const isTaken = [...ofSqlite, REPLACED_DATABASE].includes(basename(copy));
  if (!isTaken || dirname(copy) !== dirname(database)) return;
  throw new Error(`${copy} has the name of the store, or of a file beside it: name another file`);
}

function createNew(file: string): void {
  try {
    closeSync(openSync(file, 'wx', PRIVATE_FILE));
  } catch (error) {
    if (codeOf(error) !== 'EEXIST') throw placeError("the backup can't be made", error);
    throw new Error(`${file} is there already: name a new file`, { cause: error });
  }
}

/**
 * Copies the backup into a folder inside the data folder, to be changed there before it replaces
 * the store. The caller removes the folder (`removeStaged`).
 * @throws Error when the backup is not there; StoreOpenError when it is no whole store
 */
export function stageBackup(directory: string, backup: string): string {
  if (!existsSync(backup)) throw new Error(`${backup} is not there`);
  const stage = join(resolve(directory), STAGE);
  mkdirSync(stage, { recursive: true, mode: PRIVATE_FOLDER });
  const copy = join(stage, DATABASE);
  copyPrivately(backup, copy);
  // Whoever copied the files of a running service has its latest rows in the write-ahead log.
  if (existsSync(`${backup}-wal`)) copyPrivately(`${backup}-wal`, `${copy}-wal`);
  requireBackup(copy, backup);
  return stage;
}

function copyPrivately(from: string, to: string): void {
  copyFileSync(from, to);
  chmodSync(to, PRIVATE_FILE);
}

/**
 * Replaces the store in the folder by the staged one, in one step. The old one is kept as
 * `miftah.db.replaced`. Both have to be closed; the caller holds the lock, and has made sure that
 * no replaced store is there (`requireNoReplaced`).
 */
export function replaceStore(directory: string, stage: string): void {
  const folder = resolve(directory);
  const [file, next] = [join(folder, DATABASE), join(stage, DATABASE)];
  syncFile(next);
  if (hasDatabase(folder)) linkSync(file, join(folder, REPLACED_DATABASE));
  // SQLite finds these files by their names and would apply them to the new store. They are empty,
  // because the old one is closed.
  for (const ending of LOG_ENDINGS) rmSync(file + ending, { force: true });
  renameSync(next, file);
  syncDirectory(folder);
}

/** The store that an earlier restore replaced may be evidence: it is not deleted. @throws Error */
export function requireNoReplaced(directory: string): void {
  const replaced = join(resolve(directory), REPLACED_DATABASE);
  if (!existsSync(replaced)) return;
  throw new Error(
    `${replaced} is there, from a restore before this one: keep it elsewhere or remove it first`,
  );
}

/** @param shown the file that the operator knows, where `file` is a copy of it @throws StoreOpenError */
function requireBackup(file: string, shown = file): void {
  const fault = faultIn(file);
  if (fault === null) return;
  throw new StoreOpenError('store.corrupt', `${shown} is no whole copy of a store: ${fault}`);
}

/** A store that was ever used has rows in its audit log. @returns null for such a store */
function faultIn(file: string): string | null {
  const database = new DatabaseSync(file);
  try {
    const [found] = Object.values(database.prepare('PRAGMA integrity_check(1)').get() ?? {});
    if (found !== 'ok') return String(found);
    const rows =
      "SELECT 1 FROM audit_head WHERE sequence > 0 AND 'store_seal' IN " +
      '(SELECT name FROM sqlite_schema)';
    return database.prepare(rows).get() === undefined ? 'nothing has ever happened in it' : null;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  } finally {
    database.close();
  }
}

function syncFile(file: string): void {
  const descriptor = openSync(file, 'r+');
  fsyncSync(descriptor);
  closeSync(descriptor);
}
