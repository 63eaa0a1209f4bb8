import { DatabaseSync } from 'node:sqlite';
import { pathToFileURL } from 'node:url';
import { isDiskFull } from './result-codes.ts';
import { faultOf } from './sql-fault.ts';
import type { WorkerSettings } from './worker-protocol.ts';

export interface OpenedDatabase {
  readonly database: DatabaseSync;
  /** The path, or the address that asks for the index in memory. */
  readonly location: string;
}

/**
 * Opens the file of a service, also on a full disk: to read the write-ahead log, SQLite needs an
 * index of it in the file `-shm`, 32 KiB that it makes anew at each start. Where there is no space
 * for that, the index is kept in the memory of this process until its end. Other programs can't
 * open the file then, so only the process that has the lock does this.
 */
export function openDatabase({ file, lockFile }: WorkerSettings): OpenedDatabase {
  try {
    return openAt(file);
  } catch (error) {
    if (lockFile === null || !isDiskFull(faultOf(error).code)) throw error;
    // This way of SQLite to reach files (sqlite.org/vfs.html) is not there on Windows.
    return openAt(`${pathToFileURL(file).href}?vfs=unix-excl`);
  }
}

function openAt(location: string): OpenedDatabase {
  const database = new DatabaseSync(location);
  try {
    // Opening reads nothing yet: a file that is no database, or a full disk, shows here.
    database.exec('PRAGMA schema_version');
    return { database, location };
  } catch (error) {
    database.close();
    throw error;
  }
}
