import { SECOND_MS } from '../../domain/time.ts';
import type { Timer } from '../../ports/runtime.ts';
import type { StoreHealth } from '../../ports/store/index.ts';
import type { Call } from './connection.ts';
import { ServerError } from './faults.ts';
import { isDiskFull } from './sql-state.ts';

/** A trial that takes longer says that writes do not end. It goes on until it is answered. */
const SLOW_MS = 2 * SECOND_MS;
/** After so many looks without a write, one is tried. The service looks once a second. */
const QUIET_LOOKS = 5;

/**
 * Writes nothing into a table. Its commit is in the write-ahead log, so it waits for the disk of the
 * log, and for a synchronous standby, as every other commit does.
 */
const COMMIT_SOMETHING: Call = {
  name: null,
  sql: `SELECT pg_logical_emit_message(true, 'miftah', 'trial')`,
  values: [],
};

/**
 * More than a megabyte in the tablespace of the database, given back at once. A small row would fit
 * into a page that is there already, also on a full disk.
 */
const NEED_SPACE: Call = {
  name: null,
  sql: `CREATE TEMPORARY TABLE miftah_trial ON COMMIT DROP AS
    SELECT md5(n::text) AS filling FROM generate_series(1, 20000) AS n`,
  values: [],
};

/** A statement that is being tried. */
export interface Trial {
  /** @throws ServerError, ConnectionLost by rejection */
  readonly answered: Promise<unknown>;
  /** Ends its connection. */
  readonly abandon: () => void;
}

export interface WriteWatchOptions {
  readonly timer: Timer;
  /** On a connection of its own. @throws Refusal, Error by rejection when there is none */
  readonly begin: (call: Call) => Promise<Trial>;
}

/**
 * Knows whether the database takes writes: from what became of the latest ones, and from trials when
 * there were none or they failed. Reads may well go on while writes do not.
 */
export class WriteWatch {
  readonly #options: WriteWatchOptions;
  #full: string | null = null;
  #isStalled = false;
  #quietLooks = 0;
  #isTrying = false;
  #abandon: () => void = () => undefined;

  constructor(options: WriteWatchOptions) {
    this.#options = options;
  }

  health(): StoreHealth {
    if (this.#full !== null) return { ready: false, reason: this.#full, isFull: true };
    if (!this.#isStalled) return { ready: true };
    const reason = `a commit was not answered within ${SLOW_MS} ms`;
    return { ready: false, reason, isStalled: true };
  }

  /** A write was committed. On a full disk those succeed that need no space. */
  succeeded(): void {
    this.#quietLooks = 0;
    this.#isStalled = false;
  }

  /** A write was not answered in time: the next look tries one. */
  wasLate(): void {
    this.#quietLooks = QUIET_LOOKS;
  }

  foundFull(reason: string): void {
    this.#full = reason;
  }

  /** Called once a second while the database answers. Does not wait for the trial that it begins. */
  look(): void {
    this.#quietLooks += 1;
    const isDue = this.#full !== null || this.#isStalled || this.#quietLooks > QUIET_LOOKS;
    if (!isDue || this.#isTrying) return;
    void this.#try(this.#full === null ? COMMIT_SOMETHING : NEED_SPACE);
  }

  /** The database does not answer at all, so a trial will not be answered either. */
  abandon(): void {
    this.#abandon();
    this.#abandon = () => undefined;
  }

  async #try(call: Call): Promise<void> {
    this.#isTrying = true;
    let stopWaiting: (() => void) | null = null;
    try {
      const { answered, abandon } = await this.#options.begin(call);
      this.#abandon = abandon;
      stopWaiting = this.#options.timer.after(SLOW_MS, () => void (this.#isStalled = true));
      await answered;
      this.succeeded();
      if (call === NEED_SPACE) this.#full = null;
    } catch (error) {
      // Another fault says nothing about space or commits, or is one of the connection.
      if (error instanceof ServerError && !isDiskFull(error.sqlState)) this.#forget(call);
    } finally {
      stopWaiting?.();
      this.#isTrying = false;
    }
  }

  /** The server refuses the trial itself, for example for a role that may not create tables. */
  #forget(call: Call): void {
    this.#quietLooks = 0;
    this.#isStalled = false;
    if (call === NEED_SPACE) this.#full = null;
  }
}
