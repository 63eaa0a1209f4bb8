import { DatabaseSync } from 'node:sqlite';
import { StoreOpenError } from '../store-fault.ts';
import { prepareLock } from './data-directory.ts';

/** Longer than a stopping service needs for its last transaction. */
const LOCK_WAIT_MS = 2000;

/**
 * Locks a data folder against every service until it is disposed of or the process ends. @throws
 * StoreOpenError while a service uses the folder
 */
export function lockFolder(directory: string): Disposable {
  const lock = new DatabaseSync(prepareLock(directory), { timeout: LOCK_WAIT_MS });
  try {
    lock.exec('PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE');
  } catch (error) {
    lock.close();
    const what = `a service runs on ${directory}`;
    throw new StoreOpenError('store.locked', `${what}. Stop it first.`, { cause: error });
  }
  return { [Symbol.dispose]: () => lock.close() };
}
