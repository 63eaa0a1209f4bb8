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
import { dirname, join, resolve } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { StoreOpenError } from '../store-fault.ts';
import { findDatabase, STAGE, syncDirectory } from './data-directory.ts';
import { isResult, RESULT } from './result-codes.ts';
import { faultOf } from './sql-fault.ts';

const PRIVATE_FILE = 0o600;
const PRIVATE_FOLDER = 0o700;
/** How long a copy waits for a lock. A batch of the service holds one for milliseconds. */
const BUSY_TIMEOUT_MS = 5000;

const DATABASE = 'miftah.db';
const BESIDE = ['-wal', '-shm'] as const;
/** Of the store, what SQLite keeps beside it, and what a restore does. */
const OWN_ENDINGS = ['', ...BESIDE, '-journal', '.replaced'] as const;

/**
 * Copies a store into one new file, consistent at one point in time, while a service can continue
 * to write. @throws Error when the file exists, or when there is no store
 */
export function backUp(directory: string, target: string): void {
  const file = findDatabase(directory);
  const copy = resolve(target);
  requireOtherName(file, copy);
  // SQLite accepts an empty file as the target. We create it first, so that it has private rights
  // from the beginning.
  createNew(copy);
  try {
    const database = new DatabaseSync(file, { readOnly: true, timeout: BUSY_TIMEOUT_MS });
    try {
      copyInto(database, copy);
    } finally {
      database.close();
    }
    requireBackup(copy);
    syncFile(copy);
    syncDirectory(dirname(copy));
  } catch (error) {
    rmSync(copy, { force: true });
    throw error;
  }
}

/** SQLite names neither of the two files. */
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

/** SQLite would read a file of such a name as a part of the store. @throws Error */
function requireOtherName(file: string, copy: string): void {
  if (!OWN_ENDINGS.some((ending) => copy === resolve(file) + ending)) return;
  throw new Error(`${copy} has the name of the store, or of a file beside it: name another file`);
}

function createNew(file: string): void {
  try {
    closeSync(openSync(file, 'wx', PRIVATE_FILE));
  } catch (error) {
    const isThere = error instanceof Error && 'code' in error && error.code === 'EEXIST';
    if (isThere) throw new Error(`${file} is there already: name a new file`, { cause: error });
    throw error;
  }
}

/**
 * Copies the backup into a folder inside the data folder, to be changed there before it replaces
 * the store. The caller removes the folder (`removeStaged`).
 * @throws StoreOpenError when the file is no whole store
 */
export function stageBackup(directory: string, backup: string): string {
  if (!existsSync(backup)) throw new Error(`${backup} is not there`);
  const stage = join(resolve(directory), STAGE);
  mkdirSync(stage, { recursive: true, mode: PRIVATE_FOLDER });
  const copy = join(stage, DATABASE);
  // A copy of a running service's file has its latest rows beside it.
  for (const suffix of ['', '-wal']) {
    if (suffix !== '' && !existsSync(backup + suffix)) continue;
    copyFileSync(backup + suffix, copy + suffix);
    chmodSync(copy + suffix, PRIVATE_FILE);
  }
  requireBackup(copy, backup);
  return stage;
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
  if (existsSync(file)) linkSync(file, replacedBy(file));
  // SQLite finds these files by their names and would apply them to the new file. They are empty
  // now.
  for (const suffix of BESIDE) rmSync(file + suffix, { force: true });
  renameSync(next, file);
  syncDirectory(folder);
}

/** The store that an earlier restore replaced may be evidence: it is not deleted. @throws Error */
export function requireNoReplaced(directory: string): void {
  const replaced = replacedBy(join(resolve(directory), DATABASE));
  if (!existsSync(replaced)) return;
  throw new Error(
    `${replaced} is there, from a restore before this one: keep it elsewhere or remove it first`,
  );
}

const replacedBy = (file: string) => `${file}.replaced`;

/** @throws StoreOpenError */
function requireBackup(file: string, named = file): void {
  const fault = damageOf(file);
  if (fault === null) return;
  throw new StoreOpenError('store.corrupt', `${named} is no whole copy of a store: ${fault}`);
}

function damageOf(file: string): string | null {
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
