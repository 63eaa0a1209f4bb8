import { DatabaseSync } from 'node:sqlite';
import { pathToFileURL } from 'node:url';
import { isDiskFull } from './result-codes.ts';
import { faultOf } from './sql-fault.ts';
import type { WorkerSettings } from './worker-protocol.ts';

export interface OpenedDatabase {
  readonly database: DatabaseSync;
  /** The file's path, or a URI with which SQLite keeps the index in memory. */
  readonly location: string;
}

/**
 * Opens the file of a service, also on a full disk. To read the write-ahead log, SQLite needs an
 * index of it in the file `-shm`, 32 KiB that it creates at each start. Without space for it, the
 * index is kept in this process's memory until the process ends. Other programs can't open the file
 * then, so only the process with the lock does this.
 */
export function openDatabase({ file, lockFile }: WorkerSettings): OpenedDatabase {
  try {
    return openAt(file);
  } catch (error) {
    if (lockFile === null || !isDiskFull(faultOf(error).code)) throw error;
    // Windows does not have this SQLite VFS (sqlite.org/vfs.html).
    return openAt(`${pathToFileURL(file).href}?vfs=unix-excl`);
  }
}

function openAt(location: string): OpenedDatabase {
  const database = new DatabaseSync(location);
  try {
    // Opening a file reads nothing, so only this statement finds a file that is no database, or a
    // full disk.
    database.exec('PRAGMA schema_version');
    return { database, location };
  } catch (error) {
    database.close();
    throw error;
  }
}
