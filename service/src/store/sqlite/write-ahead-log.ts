import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { isDiskFull } from './result-codes.ts';
import { faultOf } from './sql-fault.ts';
import type { SqlFault } from './worker-protocol.ts';

/**
 * Moves the pages of the write-ahead log into the database file: a checkpoint. After it the log is
 * written from its beginning again, which needs no more disk space.
 *
 * SQLite's automatic checkpoints are off, because they do not report a failure: the next one could
 * then treat pages as safe that the disk has already lost. A full disk has lost nothing: the log is
 * still complete, and the next checkpoint writes the same pages again.
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

  /** The error of a checkpoint for which there was no space; null after a successful one. */
  get lack(): SqlFault | null {
    return this.#lack;
  }

  /**
   * To be called after a write without space: after a checkpoint the next write needs no more
   * space.
   */
  noteFullDisk(): void {
    this.#isFull = true;
  }

  /** Counts pages, so that the log is limited whatever the size of the changes. @throws Error */
  checkpointIfDue(): void {
    if (this.#lack !== null) return;
    if (this.#isFull || this.#pages() >= this.#maxPages) this.checkpoint('PASSIVE');
  }

  /**
   * PASSIVE never waits and leaves pages that others still read; TRUNCATE leaves an empty log.
   * @throws Error for every fault except a full disk, which is then the `lack`
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

  /** The number of pages that are not in the database file yet. */
  #pages(): number {
    const { log, checkpointed } = this.#size.get() ?? {};
    return Number(log) - Number(checkpointed);
  }
}
