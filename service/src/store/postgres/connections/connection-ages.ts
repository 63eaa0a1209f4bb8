import type { Ms } from '../../../values/time.ts';
import type { Timer } from '../../../platform/runtime.port.ts';

/** When connections are closed that still work. */
export interface ConnectionAges {
  /** What nobody needed for so long is closed, but for the `kept` that were used last. */
  readonly idleMs: Ms;
  readonly kept: number;
  /**
   * A connection is replaced after three to four quarters of it, so that what grows on the server
   * with a connection does not grow for ever, and that all instances spread again over the servers
   * behind an address.
   */
  readonly lifetimeMs: Ms;
}

export interface AgeingOptions {
  readonly timer: Timer;
  /** A number from 0 to 1, each time another one. */
  readonly jitter: () => number;
  /** By default connections stay until they break. */
  readonly ages?: ConnectionAges;
}

/** How old the connections of a pool are, and how many of them are not needed. */
export class Ageing<Connection extends object> {
  readonly #options: AgeingOptions;
  readonly #old = new WeakSet<Connection>();
  readonly #stops = new Map<Connection, () => void>();
  /** How many were idle at every moment since the last look. */
  #fewestIdle = 0;
  #cancelLook: () => void = () => undefined;

  constructor(options: AgeingOptions) {
    this.#options = options;
  }

  begin(connection: Connection, whenOld: () => void): void {
    const { timer, jitter, ages } = this.#options;
    if (ages === undefined) return;
    const stop = timer.after(ages.lifetimeMs * (1 - jitter() / 4), () => {
      this.#stops.delete(connection);
      this.#old.add(connection);
      whenOld();
    });
    this.#stops.set(connection, stop);
  }

  /** Whatever its age is: it is to be replaced. */
  makeOld(connection: Connection): void {
    this.#old.add(connection);
  }

  isOld(connection: Connection): boolean {
    return this.#old.has(connection);
  }

  /** The connection is no longer one of the pool. */
  forget(connection: Connection): void {
    this.#stops.get(connection)?.();
    this.#stops.delete(connection);
  }

  /** @param idle how many nobody uses now */
  wasTaken(idle: number): void {
    this.#fewestIdle = Math.min(this.#fewestIdle, idle);
  }

  /** Looks again and again. `end` gets how many were not needed, and returns how many are idle. */
  look(end: (unneeded: number, kept: number) => number): void {
    const { timer, ages } = this.#options;
    if (ages === undefined) return;
    this.#cancelLook = timer.after(ages.idleMs, () => {
      this.#fewestIdle = end(this.#fewestIdle, ages.kept);
      this.look(end);
    });
  }

  close(): void {
    this.#cancelLook();
    for (const stop of this.#stops.values()) stop();
    this.#stops.clear();
  }
}
