import { SECOND_MS } from '../../../values/time.ts';
import type { Timer } from '../../../platform/runtime.port.ts';
import type { StoreHealth } from '../../ports/store.port.ts';
import type { Call } from './connection.ts';
import { ServerError } from '../faults.ts';
import { WRITES_LOCK } from '../own-locks.ts';
import { isDiskFull, ranOutOfTime } from './sql-state.ts';
import { statementNamed } from '../commands/statement-named.ts';

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

/** Those that sign-ins write into, also the tables without a log. */
const WRITTEN_TABLES = [
  'attempts',
  'users',
  'api_tokens',
  'pushes',
  'provider_calls',
  'audit_log',
  'audit_head',
  'shared_attempt_leases',
  'shared_notes',
  'shared_status_polls',
];

/**
 * Takes what every write takes, in the same order, and then commits as the other trial does. After
 * a real write was late, only this says that the next one will not be: a lock that somebody holds
 * does not delay a commit without a table. The statements of one text are one transaction.
 */
const TAKE_LOCKS: Call = {
  name: null,
  sql: [
    `SELECT pg_advisory_xact_lock_shared${WRITES_LOCK}`,
    `LOCK TABLE ${WRITTEN_TABLES.join(', ')} IN ROW EXCLUSIVE MODE`,
    `${statementNamed('selectAuditHead').sql} FOR UPDATE`,
    COMMIT_SOMETHING.sql,
  ].join(';'),
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
  #isLate = false;
  #quietLooks = 0;
  #isTrying = false;
  #abandon: () => void = () => undefined;

  constructor(options: WriteWatchOptions) {
    this.#options = options;
  }

  health(): StoreHealth {
    if (this.#full !== null) return { ready: false, reason: this.#full, isFull: true };
    if (!this.#isStalled && !this.#isLate) return { ready: true };
    const reason = this.#isLate
      ? 'the latest writes were not done in time: a lock is held, or commits do not end'
      : `a commit was not answered within ${SLOW_MS} ms`;
    return { ready: false, reason, isStalled: true };
  }

  /** A write was committed. On a full disk those succeed that need no space. */
  succeeded(): void {
    this.#quietLooks = 0;
    this.#isStalled = false;
  }

  /**
   * A write was not answered in time: whoever comes would wait as long. That another write succeeds
   * says nothing, because it may need another table. The next look tries all of them.
   */
  wasLate(): void {
    this.#isLate = true;
  }

  foundFull(reason: string): void {
    this.#full = reason;
  }

  /** Called once a second while the database answers. Does not wait for the trial that it begins. */
  look(): void {
    this.#quietLooks += 1;
    const isDue = !this.health().ready || this.#quietLooks > QUIET_LOOKS;
    if (!isDue || this.#isTrying) return;
    void this.#try(this.#trial);
  }

  get #trial(): Call {
    if (this.#full !== null) return NEED_SPACE;
    return this.#isLate ? TAKE_LOCKS : COMMIT_SOMETHING;
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
      this.#passed(call);
    } catch (error) {
      // Another fault says nothing about space, locks or commits, or is one of the connection.
      if (error instanceof ServerError && !proves(error)) this.#passed(call);
    } finally {
      stopWaiting?.();
      this.#isTrying = false;
    }
  }

  /**
   * Also when the server refuses the trial itself, for example for a role that may not create
   * tables: then the next write tells. A trial of a commit says nothing about a write that came late.
   */
  #passed(call: Call): void {
    this.#quietLooks = 0;
    this.#isStalled = false;
    if (call === TAKE_LOCKS) this.#isLate = false;
    if (call === NEED_SPACE) this.#full = null;
  }
}

function proves({ sqlState }: ServerError): boolean {
  return isDiskFull(sqlState) || ranOutOfTime(sqlState);
}
