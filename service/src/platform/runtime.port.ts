import type { Ms } from '../values/time.ts';

/**
 * `now()` never goes back within one process, once it serves requests; only in a simulation
 * tests can set it back. A request reads it once and passes it on.
 */
export interface Clock {
  now(): Ms;
}

/**
 * Compares this process's clock with the one that it follows: the machine's, which can be changed
 * from outside, or the database's, which all instances have.
 *
 * - `follow` adopts the machine's time if it is later than ours; an earlier one changes
 *   nothing. It changes nothing at all once a database is followed.
 * - `aheadMs` is how far `now()` was ahead of the followed clock at the last comparison.
 * - the first `followDatabase` takes over the database's time, whatever the machine's is. Later
 *   ones take over a time that is certainly later than ours, and come near to an earlier one by at
 *   most one part in a hundred of the time that passes. `now()` does not go back meanwhile.
 * - a measurement that failed changes nothing, and neither does one that took too long, but the
 *   first.
 */
export interface Timekeeper {
  follow(): void;
  /** @param read asks for the database's time. @throws what `read` throws */
  followDatabase(read: () => Promise<Ms>): Promise<void>;
  readonly aheadMs: Ms;
  /** How far the machine's clock is ahead of the database's; null unless a database is followed. */
  readonly machineAheadMs: Ms | null;
}

/** A stop of the service that still accepts connections, so that load balancers can notice it. */
export interface Drain {
  /** once true, it stays so. */
  readonly isOn: boolean;
}

/** from a cryptographically secure source; each result is used once. */
export interface Random {
  bytes(length: number): Uint8Array;
  /** decimal digits. Each value is equally likely, and leading zeros are kept. */
  digits(length: number): string;
}

/** Repeats work in the background until it is stopped. */
export interface Scheduler {
  /**
   * runs never overlap, one that is due during another one is left out, a failed run does not
   * prevent the next, and `stop` awaits the current run.
   */
  every(intervalMs: Ms, work: () => Promise<void>): Repeated;
}

export interface Repeated {
  /** runs the work now, after a current run has ended, and resolves when it is done. */
  runNow(): Promise<void>;
  stop(): Promise<void>;
}

/** Calls something once, later. */
export interface Timer {
  /** calls `work` once, after at least `ms`, and never after the returned function was called. */
  after(ms: Ms, work: () => void): () => void;
}
