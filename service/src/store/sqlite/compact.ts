import { DatabaseSync } from 'node:sqlite';
import { findDatabase } from './data-directory.ts';

/** How long to wait for the writes of a service. */
const BUSY_TIMEOUT_MS = 30_000;

/**
 * Writes the database file anew without what was deleted, and empties the write-ahead log. Deleted
 * rows may be left on pages that nothing uses any more, and in the log. A service may run: its
 * writes wait. For a time it needs free space for two more copies of the store: one beside it, and one
 * in the log.
 * @returns whether the log is empty; else it is emptied when the service starts again
 * @throws Error when the disk is full, or others write for too long
 */
export function compact(directory: string): boolean {
  const database = new DatabaseSync(findDatabase(directory), { timeout: BUSY_TIMEOUT_MS });
  try {
    database.exec('PRAGMA secure_delete = ON; PRAGMA synchronous = FULL; VACUUM');
    const [reply] = database.prepare('PRAGMA wal_checkpoint(TRUNCATE)').all();
    return reply?.['busy'] === 0;
  } finally {
    database.close();
  }
}
