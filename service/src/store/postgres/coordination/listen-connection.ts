import { SECOND_MS, type Ms } from '../../../values/time.ts';
import type { Timer } from '../../../platform/runtime.port.ts';
import { ConnectionPool } from '../connections/connection-pool.ts';
import type { Call, PostgresConnection } from '../connections/connection.ts';
import { Deadline } from '../connections/deadline.ts';

/** Of the whole database. What another service in it sends there names no attempt of ours. */
export const CHANNEL = 'miftah_attempts';

/** Said again, it changes nothing: so it is the check that the connection answers, too. */
const LISTEN: Call = { name: null, sql: `LISTEN ${CHANNEL}`, values: [] };
/** Proxies between service and server may forget a connection without traffic, and tell nobody. */
const CHECK_MS = 15 * SECOND_MS;

export interface ListenOptions {
  /** To whichever of the servers accepts writes. */
  readonly connect: () => Promise<PostgresConnection>;
  readonly timer: Timer;
  /** A number from 0 to 1, each time another one. */
  readonly jitter: () => number;
  /** For the answer to LISTEN, and to a check. */
  readonly deadlineMs: Ms;
  readonly backOffMs: Ms;
  readonly maxBackOffMs: Ms;
  readonly checkMs?: Ms;
}

export interface ListenEvents {
  readonly onPayload: (payload: string) => void;
  /** From now on everything is heard, until the connection is lost. */
  readonly onListening: () => void;
}

/** A connection that listens for NOTIFY and is used for nothing else. One that is lost is replaced. */
export class ListenConnection {
  readonly #options: ListenOptions;
  readonly #events: ListenEvents;
  /** Of one connection: what a pool does about lost ones is wanted here too. */
  readonly #pool: ConnectionPool<PostgresConnection>;
  #cancelCheck: () => void = () => undefined;
  #isClosed = false;

  constructor(options: ListenOptions, events: ListenEvents) {
    this.#options = options;
    this.#events = events;
    this.#pool = new ConnectionPool({
      ...options,
      connect: () => this.#connect(),
      size: 1,
      maxWaiting: 1,
      onChange: () => undefined,
    });
    this.#checkLater();
  }

  /** As that of a ConnectionPool. */
  renew(): Promise<void> {
    return this.#pool.renew();
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#cancelCheck();
    await this.#pool.close();
  }

  async #connect(): Promise<PostgresConnection> {
    const { connect, timer, deadlineMs } = this.#options;
    const connection = await connect();
    const deadline = new Deadline(timer, deadlineMs);
    deadline.whenOver(() => connection.destroy(deadline.reason));
    connection.whenNotified(this.#events.onPayload);
    try {
      await connection.query(LISTEN);
    } catch (error) {
      connection.destroy('the server does not let it listen');
      throw error;
    } finally {
      deadline.clear();
    }
    this.#events.onListening();
    return connection;
  }

  #checkLater(): void {
    const { timer, checkMs = CHECK_MS } = this.#options;
    if (!this.#isClosed) this.#cancelCheck = timer.after(checkMs, () => void this.#check());
  }

  /** A connection that does not answer is given up. While there is none, another one is being made. */
  async #check(): Promise<void> {
    const { timer, deadlineMs } = this.#options;
    const deadline = new Deadline(timer, deadlineMs);
    try {
      const connection = await this.#pool.acquire(deadline);
      deadline.whenOver(() => connection.destroy(deadline.reason));
      await connection.query(LISTEN).finally(() => this.#pool.release(connection));
    } catch {
      // The pool has noticed it.
    } finally {
      deadline.clear();
      this.#checkLater();
    }
  }
}
