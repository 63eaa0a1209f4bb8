import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';

const FILE_NAME = 'lock';
/** A simulator that is being restarted may not have ended yet. */
const WAIT_MS = 2000;

/**
 * Keeps every other simulator out of a data folder until it is disposed of or the process ends, in
 * whatever way: the lock is one that the system takes back. Two would replace each other's keys.
 * @throws Error while another simulator uses the folder
 */
export function lockFolder(directory: string): Disposable {
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  const lock = new DatabaseSync(join(directory, FILE_NAME), { timeout: WAIT_MS });
  try {
    // Nothing is written: the file is there to be locked.
    lock.exec('PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE');
  } catch (error) {
    lock.close();
    const what = `another simulator runs on ${directory}`;
    throw new Error(`${what}: stop it, or give this one a DATA_DIR of its own`, { cause: error });
  }
  return { [Symbol.dispose]: () => lock.close() };
}
