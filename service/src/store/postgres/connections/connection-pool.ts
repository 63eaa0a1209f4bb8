import { SECOND_MS, type Ms } from '../../../values/time.ts';
import type { StoreConnections } from '../../../operate/metrics/meter.port.ts';
import type { Timer } from '../../../platform/runtime.port.ts';
import { Ageing, type ConnectionAges } from './connection-ages.ts';
import type { Deadline } from './deadline.ts';
import { overloaded, unavailable } from '../faults.ts';

/** Failures to connect, one after the other, after which nobody waits for a connection any more. */
const AWAY_AFTER_FAILURES = 3;
/** Longer than an operation keeps its connection. */
const RENEWAL_MS: Ms = 10 * SECOND_MS;
const RENEWAL_LOOK_MS: Ms = 20;

/** What the pool has to know of a connection: see PostgresConnection. */
export interface Pooled {
  readonly isBroken: boolean;
  whenBroken(react: () => void): void;
  destroy(reason: string): void;
  end(): Promise<void>;
}

export interface ConnectionPoolOptions<Connection extends Pooled> {
  readonly connect: () => Promise<Connection>;
  readonly timer: Timer;
  /** A number from 0 to 1, each time another one. */
  readonly jitter: () => number;
  readonly size: number;
  /** The most operations that wait for a connection; further ones are refused. */
  readonly maxWaiting: number;
  /** The pause after a failed attempt to connect. It doubles until a connection was of use. */
  readonly backOffMs: Ms;
  readonly maxBackOffMs: Ms;
  readonly onChange: (figures: StoreConnections) => void;
  /** By default connections stay until they break. */
  readonly ages?: ConnectionAges;
}

interface Waiter<Connection> {
  readonly resolve: (connection: Connection) => void;
  readonly reject: (reason: Error) => void;
  stopWaiting: () => void;
}

/**
 * At most `size` connections, made when they are needed; one is always kept or being made, so that
 * `fault` tells the truth without requests. While the server stays away, operations are refused at
 * once; for a short loss they wait.
 */
export class ConnectionPool<Connection extends Pooled> {
  readonly #options: ConnectionPoolOptions<Connection>;
  readonly #open = new Set<Connection>();
  /** The one that was used last is at the end, and is taken first. */
  readonly #idle: Connection[] = [];
  readonly #ageing: Ageing<Connection>;
  readonly #waiters = new Set<Waiter<Connection>>();
  #connecting = 0;
  #generation = 0;
  #inUse = 0;
  #failures = 0;
  #answered = 0;
  #fault: string | null = 'the database has not answered yet';
  #reconnects = 0;
  #wasOpen = false;
  #cancelRetry: (() => void) | null = null;
  #isClosed = false;
  #whenUnused: () => void = () => undefined;

  constructor(options: ConnectionPoolOptions<Connection>) {
    this.#options = options;
    this.#ageing = new Ageing(options);
    this.#connectWhereNeeded();
    this.#ageing.look((unneeded, kept) => this.#endUnneeded(unneeded, kept));
  }

  /** Why no operation can be done now, or null. */
  get fault(): string | null {
    if (this.#isClosed) return 'the store is closed';
    return this.#open.size > 0 ? null : this.#fault;
  }

  get figures(): StoreConnections {
    return {
      open: this.#open.size,
      inUse: this.#inUse,
      waiting: this.#waiters.size,
      reconnects: this.#reconnects,
    };
  }

  /** Grows whenever a connection comes back from its user in good order. */
  get answered(): number {
    return this.#answered;
  }

  get #isAway(): boolean {
    return this.#open.size === 0 && this.#failures >= AWAY_AFTER_FAILURES;
  }

  /** @throws Refusal by rejection: `storage.unavailable`, `server.overloaded` */
  acquire(deadline: Deadline): Promise<Connection> {
    if (this.#isClosed || this.#isAway) {
      return Promise.reject(unavailable(this.fault ?? 'no connection'));
    }
    if (deadline.isOver) return Promise.reject(unavailable(deadline.reason));
    const idle = this.#idle.pop();
    if (idle !== undefined) {
      this.#ageing.wasTaken(this.#idle.length);
      this.#inUse += 1;
      this.#tellChange();
      return Promise.resolve(idle);
    }
    if (this.#waiters.size >= this.#options.maxWaiting) {
      return Promise.reject(overloaded('too many operations wait for a database connection'));
    }
    return this.#wait(deadline);
  }

  /** Gives a connection back. One that is broken is replaced. */
  release(connection: Connection): void {
    this.#inUse -= 1;
    if (!connection.isBroken) {
      this.#failures = 0;
      this.#answered += 1;
      if (this.#open.size === 1 || !this.#ageing.isOld(connection)) this.#hand(connection);
      else this.#end(connection);
      this.#replaceOld(connection);
    }
    this.#tellChange();
    if (this.#inUse === 0) this.#whenUnused();
  }

  /** What nobody uses now is not trusted either: the server may have gone silent, or be another. */
  dropIdle(reason: string): void {
    for (const connection of this.#idle.slice()) connection.destroy(reason);
  }

  /**
   * The server has answered nobody for half a deadline, to the end of one. Those who wait would wait as long again, so
   * everything is refused until a new connection is there, which is tried at once.
   */
  giveUp(reason: string): void {
    this.#failures = 0;
    for (const connection of this.#open) connection.destroy(reason);
    this.#failures = AWAY_AFTER_FAILURES;
    this.#fault = reason;
    this.#refuseWaiters(unavailable(reason));
  }

  /**
   * Replaces every connection: one that is in use, when it comes back. A server that is away makes
   * none anew, and none is left then.
   * @throws Error by rejection when one of them is still there
   */
  async renew(): Promise<void> {
    this.#generation += 1;
    for (const connection of this.#open) this.#ageing.makeOld(connection);
    for (let waited = 0; waited < RENEWAL_MS; waited += RENEWAL_LOOK_MS) {
      const old = [...this.#open].filter((one) => this.#ageing.isOld(one));
      if (old.length === 0) return;
      for (const connection of old) this.#replaceOld(connection);
      await new Promise<void>((done) => void this.#options.timer.after(RENEWAL_LOOK_MS, done));
    }
    throw new Error('the connections to the database could not be made anew');
  }

  /** Refuses new operations, waits for those that have a connection, and closes all of them. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#cancelRetry?.();
    this.#ageing.close();
    this.#refuseWaiters(unavailable('the store is closed'));
    if (this.#inUse > 0) await new Promise<void>((resolve) => (this.#whenUnused = resolve));
    await Promise.all(this.#idle.splice(0).map(async (connection) => connection.end()));
    this.#open.clear();
  }

  #wait(deadline: Deadline): Promise<Connection> {
    return new Promise((resolve, reject) => {
      const waiter: Waiter<Connection> = { resolve, reject, stopWaiting: () => undefined };
      waiter.stopWaiting = deadline.whenOver(() => {
        this.#waiters.delete(waiter);
        reject(unavailable(`${deadline.reason}: no connection was free`));
        this.#tellChange();
      });
      this.#waiters.add(waiter);
      this.#connectWhereNeeded();
      this.#tellChange();
    });
  }

  #hand(connection: Connection): void {
    const waiter = this.#nextWaiter();
    if (waiter === undefined) {
      this.#idle.push(connection);
      return;
    }
    this.#inUse += 1;
    waiter.resolve(connection);
  }

  #nextWaiter(): Waiter<Connection> | undefined {
    const [waiter] = this.#waiters;
    if (waiter === undefined) return undefined;
    waiter.stopWaiting();
    this.#waiters.delete(waiter);
    return waiter;
  }

  #connectWhereNeeded(): void {
    if (this.#isClosed || this.#cancelRetry !== null) return;
    const room = this.#options.size - this.#open.size - this.#connecting;
    const atLeast = this.#open.size === 0 ? 1 : 0;
    const wanted = Math.max(this.#waiters.size, atLeast) - this.#connecting;
    for (let left = Math.min(room, wanted); left > 0; left -= 1) void this.#connect();
  }

  async #connect(): Promise<void> {
    this.#connecting += 1;
    const generation = this.#generation;
    try {
      this.#admit(await this.#options.connect(), generation);
    } catch (error) {
      this.#fail(error instanceof Error ? error.message : String(error));
    } finally {
      this.#connecting -= 1;
      this.#connectWhereNeeded();
      this.#tellChange();
    }
  }

  #admit(connection: Connection, generation: number): void {
    if (this.#isClosed || generation !== this.#generation) {
      connection.destroy('the store is closed, or its connections are made anew');
      return;
    }
    if (this.#wasOpen && this.#open.size === 0) this.#reconnects += 1;
    this.#wasOpen = true;
    this.#open.add(connection);
    this.#ageing.begin(connection, () => this.#replaceOld(connection));
    connection.whenBroken(() => this.#forget(connection));
    if (!connection.isBroken) this.#hand(connection);
    for (const idle of this.#idle.filter((one) => this.#ageing.isOld(one))) this.#endIdle(idle);
  }

  /** Ends an old connection that nobody uses. The last one stays until there is another. */
  #replaceOld(connection: Connection): void {
    if (!this.#ageing.isOld(connection) || !this.#idle.includes(connection)) return;
    if (this.#open.size > 1) this.#endIdle(connection);
    else if (this.#connecting === 0 && this.#cancelRetry === null) void this.#connect();
  }

  /** @returns how many are idle then */
  #endUnneeded(unneeded: number, kept: number): number {
    const count = Math.max(0, Math.min(unneeded, this.#open.size - kept));
    for (const connection of this.#idle.slice(0, count)) this.#endIdle(connection);
    return this.#idle.length;
  }

  #endIdle(connection: Connection): void {
    if (this.#isClosed || this.#open.size <= 1) return;
    this.#idle.splice(this.#idle.indexOf(connection), 1);
    this.#end(connection);
    this.#tellChange();
  }

  #end(connection: Connection): void {
    this.#ageing.forget(connection);
    this.#open.delete(connection);
    void connection.end().catch(() => undefined);
    this.#connectWhereNeeded();
  }

  #forget(connection: Connection): void {
    this.#ageing.forget(connection);
    this.#open.delete(connection);
    const index = this.#idle.indexOf(connection);
    if (index >= 0) this.#idle.splice(index, 1);
    this.#fault = 'the connection to the database was lost';
    // A server that admits every connection and then ends it is not asked all the time.
    if (this.#open.size === 0 && this.#failures > 0) this.#retryLater();
    else if (this.#open.size === 0) this.#failures = 1;
    this.#connectWhereNeeded();
    this.#tellChange();
  }

  #fail(reason: string): void {
    this.#fault = reason;
    this.#retryLater();
    if (this.#isAway) this.#refuseWaiters(unavailable(reason));
  }

  /** Instances that lost the database together do not all come back at the same moment. */
  #retryLater(): void {
    if (this.#isClosed || this.#cancelRetry !== null) return;
    const { timer, backOffMs, maxBackOffMs, jitter } = this.#options;
    const limit = Math.min(maxBackOffMs, backOffMs * 2 ** Math.min(this.#failures, 16));
    this.#failures += 1;
    this.#cancelRetry = timer.after(limit * (0.5 + jitter() / 2), () => {
      this.#cancelRetry = null;
      this.#connectWhereNeeded();
    });
  }

  #refuseWaiters(reason: Error): void {
    for (let waiter = this.#nextWaiter(); waiter; waiter = this.#nextWaiter()) {
      waiter.reject(reason);
    }
  }

  #tellChange(): void {
    this.#options.onChange(this.figures);
  }
}
