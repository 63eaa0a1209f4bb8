import { existsSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { StoreOpenError } from '../store-fault.ts';
import { lockFileOf, prepareLock } from './data-directory.ts';
import { lockFileError } from './sqlite-faults.ts';
import { isResult, RESULT } from './thread/result-codes.ts';
import { faultOf } from './thread/sql-fault.ts';

/** Longer than a stopping service needs for its last transaction. */
const LOCK_WAIT_MS = 2000;

/**
 * Locks a data folder against every service until it is disposed of or the process ends.
 * @throws StoreOpenError: `store.locked` while a service uses the folder, `store.unavailable` when
 * it can't be locked at all
 */
export function lockFolder(directory: string): Disposable {
  const file = prepareLock(directory);
  let lock: DatabaseSync | null = null;
  try {
    lock = new DatabaseSync(file, { timeout: LOCK_WAIT_MS });
    // Nothing is written: the file is there to be locked, and SQLite keeps no journal file beside it.
    lock.exec('PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE');
  } catch (error) {
    lock?.close();
    const fault = faultOf(error);
    if (!isResult(fault.code, RESULT.busy, RESULT.locked)) throw lockFileError(file, fault);
    throw serviceRunsError(directory, error);
  }
  return { [Symbol.dispose]: () => lock.close() };
}

/** Whether a service uses the folder, or a command that keeps services out of it. */
export function isFolderLocked(directory: string): boolean {
  const file = lockFileOf(directory);
  if (!existsSync(file)) return false;
  // A reader hinders no other reader, and no start: that waits.
  const lock = new DatabaseSync(file, { readOnly: true });
  try {
    lock.exec('SELECT count(*) FROM sqlite_schema');
    return false;
  } catch (error) {
    const fault = faultOf(error);
    if (isResult(fault.code, RESULT.busy, RESULT.locked)) return true;
    throw lockFileError(file, fault);
  } finally {
    lock.close();
  }
}

/** The error of a command that works only while no service runs on the folder. */
export function serviceRunsError(directory: string, cause: unknown): StoreOpenError {
  const what = `a service runs on ${directory}. Stop it first.`;
  return new StoreOpenError('store.locked', what, { cause });
}
