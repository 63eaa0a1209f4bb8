import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { makeDataFolder } from '@miftah/schema/data-folder';

const FILE_NAME = 'lock';
/** A simulator that is being restarted may not have ended yet. */
const WAIT_MS = 2000;

/** Result codes of SQLite (sqlite.org/rescode.html). */
const BUSY = 5;
const LOCKED = 6;
const CORRUPT = 11;
const NOT_A_DATABASE = 26;

/**
 * Keeps every other simulator out of a data folder until it is disposed of or the process ends, in
 * whatever way: the lock is one that the system takes back. Two would replace each other's keys.
 * @throws Error that says what to do, while another simulator uses the folder, and when it can't be
 * locked at all
 */
export function lockFolder(directory: string): Disposable {
  makeDataFolder(directory);
  let lock: DatabaseSync | null = null;
  try {
    lock = new DatabaseSync(join(directory, FILE_NAME), { timeout: WAIT_MS });
    // Nothing is written: the file is there to be locked.
    lock.exec('PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE');
  } catch (error) {
    lock?.close();
    throw new Error(reasonOf(error, directory), { cause: error });
  }
  return { [Symbol.dispose]: () => lock.close() };
}

function reasonOf(error: unknown, directory: string): string {
  const code = resultOf(error);
  if (code === BUSY || code === LOCKED) {
    return `another simulator runs on ${directory}: stop it, or give this one a DATA_DIR of its own`;
  }
  const file = join(directory, FILE_NAME);
  if (code === CORRUPT || code === NOT_A_DATABASE) {
    const advice = 'it has no data in it, so remove it while no simulator runs on this folder';
    return `${file} is damaged, or was made by another program: ${advice}`;
  }
  const message = error instanceof Error ? error.message : String(error);
  return `${file} can't be locked (${message}): set DATA_DIR to a folder that this user may write into`;
}

/** The low byte of an extended result code names the kind of error. */
function resultOf(error: unknown): number | null {
  const code = error instanceof Error && 'errcode' in error ? error.errcode : null;
  return typeof code === 'number' ? code & 0xff : null;
}
