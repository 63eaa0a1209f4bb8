import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { isDiskFull } from './result-codes.ts';
import { faultOf } from './sql-fault.ts';
import type { SqlFault } from './worker-protocol.ts';

/**
 * Moves the pages of the write-ahead log into the database file: a checkpoint. After it the log is
 * written anew from its beginning, which takes no space on the disk.
 *
 * SQLite does not do this by itself here, because it does not report a checkpoint that failed: the
 * next one could then declare pages safe that the disk has already lost. A full disk has lost
 * nothing: the log is still whole, and the next checkpoint writes the same pages again.
 */
export class WriteAheadLog {
  readonly #database: DatabaseSync;
  readonly #maxPages: number;
  readonly #size: StatementSync;
  #isFull = false;
  #lack: SqlFault | null = null;

  constructor(database: DatabaseSync, maxPages: number) {
    this.#database = database;
    this.#maxPages = maxPages;
    this.#size = database.prepare('PRAGMA wal_checkpoint(NOOP)');
  }

  /** Why the log could not be moved: there was no space for it. Null once it could. */
  get lack(): SqlFault | null {
    return this.#lack;
  }

  /** There was no space for a write: if the log can be moved, the next write needs none. */
  noteFullDisk(): void {
    this.#isFull = true;
  }

  /** Counted in pages, so that the log has a limit whatever a change takes. @throws Error */
  checkpointIfDue(): void {
    if (this.#lack !== null) return;
    if (this.#isFull || this.#pages() >= this.#maxPages) this.checkpoint('PASSIVE');
  }

  /**
   * PASSIVE waits for nobody and leaves what others still read; TRUNCATE leaves an empty log.
   * @throws Error for any fault but a full disk, which is then the `lack`
   */
  checkpoint(mode: 'PASSIVE' | 'TRUNCATE'): void {
    this.#isFull = false;
    try {
      this.#database.exec(`PRAGMA wal_checkpoint(${mode})`);
      this.#lack = null;
    } catch (error) {
      const fault = faultOf(error);
      if (!isDiskFull(fault.code)) throw error;
      this.#lack = fault;
    }
  }

  /** Those that are not in the database file yet. */
  #pages(): number {
    const { log, checkpointed } = this.#size.get() ?? {};
    return Number(log) - Number(checkpointed);
  }
}
