import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { isDiskFull } from './result-codes.ts';
import { faultOf } from './sql-fault.ts';
import type { SqlFault } from './worker-protocol.ts';

/** A log this many times as long as its limit is reported. */
const TOO_LONG = 4;

/** A page of 4 KiB, and its header. */
export const BYTES_OF_A_PAGE = 4096 + 24;

/** In pages. */
interface LogState {
  /** All pages of the log. It begins again when none is left and nobody reads it. */
  readonly length: number;
  /** Pages that are not in the database file yet. */
  readonly left: number;
}

/**
 * Moves the pages of the write-ahead log into the database file: a checkpoint. After it the log is
 * written from its beginning again, which needs no more disk space.
 *
 * Pages that were written since a reader began its transaction stay in the log until that reader
 * ends. A backup is one such transaction from its first page to its last, and the log has no limit
 * meanwhile: refusing writes instead would make every backup an outage. So it is reported.
 *
 * SQLite's automatic checkpoints are off, because they do not report a failure: the next one could
 * then treat pages as safe that the disk has already lost. A full disk has lost nothing: the log is
 * still complete, and the next checkpoint writes the same pages again.
 */
export class WriteAheadLog {
  readonly #database: DatabaseSync;
  readonly #maxPages: number;
  readonly #state: StatementSync;
  #isReported = false;
  #isFull = false;
  #lack: SqlFault | null = null;

  constructor(database: DatabaseSync, maxPages: number) {
    this.#database = database;
    this.#maxPages = maxPages;
    this.#state = database.prepare('PRAGMA wal_checkpoint(NOOP)');
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

  /**
   * Counts pages, so that the size of the changes does not matter. The log keeps to its limit unless
   * somebody reads for longer.
   * @returns the pages of the log, once, when it has become much longer than its limit; else null
   * @throws Error
   */
  checkpointIfDue(): number | null {
    if (this.#lack !== null) return null;
    const before = stateFrom(this.#state.get());
    const isDue = this.#isFull || before.left >= this.#maxPages;
    return this.#newlyTooLong(isDue ? this.checkpoint('PASSIVE') : before);
  }

  /**
   * PASSIVE never waits. TRUNCATE waits for readers as long as `busy_timeout` says, then empties
   * the log. Both leave pages that others still read.
   * @returns null on a full disk, which is then the `lack`
   * @throws Error for every other fault
   */
  checkpoint(mode: 'PASSIVE' | 'TRUNCATE'): LogState | null {
    this.#isFull = false;
    try {
      const state = stateFrom(this.#database.prepare(`PRAGMA wal_checkpoint(${mode})`).get());
      this.#lack = null;
      return state;
    } catch (error) {
      const fault = faultOf(error);
      if (!isDiskFull(fault.code)) throw error;
      this.#lack = fault;
      return null;
    }
  }

  #newlyTooLong(state: LogState | null): number | null {
    if (state === null) return null;
    const isTooLong = state.length > TOO_LONG * this.#maxPages;
    const isNews = isTooLong && !this.#isReported;
    this.#isReported = isTooLong;
    return isNews ? state.length : null;
  }
}

/** From the row that every `PRAGMA wal_checkpoint` answers. */
function stateFrom(row: Record<string, unknown> | undefined): LogState {
  const { log, checkpointed } = row ?? {};
  const length = Number(log);
  return { length, left: length - Number(checkpointed) };
}
