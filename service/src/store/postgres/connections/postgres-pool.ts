import type { Ms } from '../../../values/time.ts';
import type { StoreConnections } from '../../../operate/metrics/meter.port.ts';
import type { Timer } from '../../../platform/runtime.port.ts';
import type { StoreHealth } from '../../ports/store.port.ts';
import type { StepResult } from '../../sql/statement.ts';
import type { ConnectionAges } from './connection-ages.ts';
import { ConnectionPool } from './connection-pool.ts';
import type { DatabaseAddress } from '../connection-url.ts';
import type { Call, PostgresConnection } from './connection.ts';
import { Connector } from './connector.ts';
import type { DatabasePassword } from './database-password.ts';
import { Deadline } from './deadline.ts';
import { asNotDone, ConnectionLost, ServerError } from '../faults.ts';
import type { IdentityMemory, ServerWarning } from '../server-check.ts';
import { mayRunAgain } from './sql-state.ts';
import { Transaction, writeOnce, type Session } from './transaction.ts';
import { WriteWatch, type Trial } from './write-watch.ts';

/** How often a write is run again after a serialization failure or a deadlock. */
const REPEATS = 3;
const FIRST_PAUSE_MS = 10;
const CHECK: Call = { name: null, sql: 'SELECT 1', values: [] };

export interface PostgresPoolOptions {
  readonly address: DatabaseAddress;
  /** As that of a Connector. */
  readonly password?: DatabasePassword;
  /** Keeps which server it was, to refuse another one or a former primary. */
  readonly identity: IdentityMemory;
  readonly timer: Timer;
  /** A number from 0 to 1, each time another one. */
  readonly jitter: () => number;
  readonly size: number;
  readonly maxWaiting: number;
  /** For one attempt to connect to one server. */
  readonly connectMs: Ms;
  /** For one operation, with its waiting and its repeats. */
  readonly deadlineMs: Ms;
  readonly ages?: ConnectionAges;
  readonly backOffMs: Ms;
  readonly maxBackOffMs: Ms;
  readonly onChange: (figures: StoreConnections) => void;
  readonly onWarning: (warning: ServerWarning) => void;
  /** As that of a Connector. */
  readonly enter?: (connection: PostgresConnection) => Promise<void>;
}

/**
 * Runs statements on a bounded number of connections, each within the deadline. The database may be
 * away, also at the start: operations are then refused, and the pool connects again by itself.
 *
 * Every operation rejects with Refusal `storage.unavailable` (nothing was written),
 * `server.overloaded` (nothing was done), or StatementError (the statement was refused, nothing was
 * written); writes also with `storage.outcome_unknown`.
 *
 * At its deadline the connection is destroyed. `statement_timeout` does not end the wait of a commit
 * for its standby, and a cancel would show others a row that the standby does not have yet. So the
 * server's process waits on, and holds one of `max_connections`.
 */
export class PostgresPool {
  readonly #options: PostgresPoolOptions;
  readonly #pool: ConnectionPool<PostgresConnection>;
  readonly #writes: WriteWatch;
  readonly #connector: Connector;

  constructor(options: PostgresPoolOptions) {
    this.#options = options;
    const connector = new Connector(options);
    this.#connector = connector;
    this.#pool = new ConnectionPool({ ...options, connect: () => connector.connect() });
    this.#writes = new WriteWatch({ timer: options.timer, begin: (call) => this.#begin(call) });
  }

  get figures(): StoreConnections {
    return this.#pool.figures;
  }

  /** Without asking the database. */
  health(): StoreHealth {
    const reason = this.#pool.fault;
    if (reason === null) return this.#writes.health();
    return { ready: false, reason, isAway: true, ...this.#connector.refused };
  }

  /** To be called once a second: finds out whether the database answers, and takes writes. */
  async look(): Promise<void> {
    const { ready } = await this.check();
    if (ready) this.#writes.look();
    else this.#writes.abandon();
  }

  /** Asks the database whether it answers. Never rejects. */
  async check(): Promise<StoreHealth> {
    try {
      await this.read(CHECK);
      return { ready: true };
    } catch (error) {
      const reason = this.#pool.fault ?? (error instanceof Error ? error.message : String(error));
      return { ready: false, reason };
    }
  }

  /** Runs a statement that changes nothing; once more when the connection ended before the answer. */
  read(call: Call): Promise<StepResult> {
    return this.#within(async (deadline) => {
      const once = () => this.#borrow(deadline, (connection) => connection.query(call));
      try {
        return await once().catch((error: unknown) => {
          if (deadline.isOver || !isReadAgain(error)) throw error;
          return once();
        });
      } catch (error) {
        throw isFault(error) ? asNotDone(error) : error;
      }
    });
  }

  /**
   * Runs one statement that writes.
   * @param within instead of a deadline of its own; whoever made it clears it
   */
  autocommit(call: Call, within?: Deadline): Promise<StepResult> {
    return this.#writing((deadline) => this.#writeOnce(call, deadline), within);
  }

  /**
   * The same for tables without a log. That it is done says nothing about other writes: it waits
   * for no disk and no standby.
   */
  writeUnlogged(call: Call): Promise<StepResult> {
    return this.#within((deadline, isHalfOver) =>
      this.#noteLate(this.#writeOnce(call, deadline), deadline, isHalfOver),
    );
  }

  /**
   * Runs `run` in one READ COMMITTED transaction and commits it. When `run` rejects, everything is
   * rolled back. It is run again after a serialization failure or a deadlock, so it must change
   * nothing outside of the transaction.
   * @param within instead of a deadline of its own; whoever made it clears it
   */
  transact<T>(run: (session: Session) => Promise<T>, within?: Deadline): Promise<T> {
    return this.#writing(
      (deadline) =>
        this.#repeat(deadline, () =>
          this.#borrow(deadline, (connection) => transactOnce(connection, run)),
        ),
      within,
    );
  }

  /** As that of a ConnectionPool. */
  renew(): Promise<void> {
    return this.#pool.renew();
  }

  /** Refuses new operations, waits for those that run, and closes all connections. */
  close(): Promise<void> {
    this.#writes.abandon();
    return this.#pool.close();
  }

  #writing<T>(work: (deadline: Deadline) => Promise<T>, given?: Deadline): Promise<T> {
    return this.#within(async (deadline, isHalfOver) => {
      const result = await this.#noteLate(work(deadline), deadline, isHalfOver);
      this.#writes.succeeded();
      return result;
    }, given);
  }

  /** The server ends a statement that waits for a lock somewhat before the deadline. */
  async #noteLate<T>(write: Promise<T>, deadline: Deadline, isHalfOver: () => boolean): Promise<T> {
    try {
      return await write;
    } catch (error) {
      if (deadline.isOver || isHalfOver()) this.#writes.wasLate();
      throw error;
    }
  }

  #writeOnce(call: Call, deadline: Deadline): Promise<StepResult> {
    return this.#repeat(deadline, () =>
      this.#borrow(deadline, (connection) => writeOnce(connection, call)),
    );
  }

  /** The trial keeps its connection until it is answered, however late that is. */
  async #begin(call: Call): Promise<Trial> {
    const connection = await this.#within((deadline) => this.#pool.acquire(deadline));
    const answered = connection.query(call).finally(() => this.#giveBack(connection));
    return { answered, abandon: () => connection.destroy('the database does not answer') };
  }

  async #within<T>(
    work: (deadline: Deadline, isHalfOver: () => boolean) => Promise<T>,
    given?: Deadline,
  ): Promise<T> {
    const { timer, deadlineMs } = this.#options;
    const deadline = given ?? new Deadline(timer, deadlineMs);
    let { answered } = this.#pool;
    let isHalfOver = false;
    const stopCounting = timer.after(deadlineMs / 2, () => {
      isHalfOver = true;
      answered = this.#pool.answered;
    });
    const stopWatching = deadline.whenOver(() => {
      if (this.#pool.answered === answered) this.#pool.giveUp(deadline.reason);
    });
    try {
      return await work(deadline, () => isHalfOver);
    } finally {
      stopCounting();
      stopWatching();
      if (given === undefined) deadline.clear();
    }
  }

  async #borrow<T>(
    deadline: Deadline,
    use: (connection: PostgresConnection) => Promise<T>,
  ): Promise<T> {
    const connection = await this.#pool.acquire(deadline);
    const stopWatching = deadline.whenOver(() => connection.destroy(deadline.reason));
    try {
      return await use(connection);
    } finally {
      stopWatching();
      if (connection.isBroken) this.#pool.dropIdle('another connection was lost');
      this.#giveBack(connection);
    }
  }

  #giveBack(connection: PostgresConnection): void {
    const fullDisk = connection.takeFullDisk();
    if (fullDisk !== null) this.#writes.foundFull(fullDisk);
    this.#pool.release(connection);
  }

  async #repeat<T>(deadline: Deadline, attempt: () => Promise<T>): Promise<T> {
    for (let repeats = 0; ; repeats += 1) {
      try {
        return await attempt();
      } catch (error) {
        if (!isFault(error)) throw error;
        if (deadline.isOver || repeats === REPEATS) throw asNotDone(error);
        await this.#pause(deadline, FIRST_PAUSE_MS * 2 ** repeats);
      }
    }
  }

  /** Those that met in a deadlock do not meet again. */
  #pause(deadline: Deadline, ms: Ms): Promise<void> {
    return new Promise((resolve) => {
      deadline.whenOver(resolve);
      this.#options.timer.after(ms * this.#options.jitter(), resolve);
    });
  }
}

/** @throws ServerError when the transaction may be run again; else what the caller gets */
async function transactOnce<T>(
  connection: PostgresConnection,
  run: (session: Session) => Promise<T>,
): Promise<T> {
  const transaction = new Transaction(connection);
  try {
    const result = await run(transaction);
    await transaction.commit();
    return result;
  } catch (error) {
    await transaction.rollback();
    const { fault } = transaction;
    throw fault instanceof ServerError && mayRunAgain(fault.sqlState) ? fault : error;
  }
}

function isFault(error: unknown): error is ServerError | ConnectionLost {
  return error instanceof ServerError || error instanceof ConnectionLost;
}

/** The connection ended, or what it had prepared is no longer valid. */
function isReadAgain(error: unknown): boolean {
  return (
    error instanceof ConnectionLost || (error instanceof ServerError && mayRunAgain(error.sqlState))
  );
}
