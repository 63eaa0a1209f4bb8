import type { Ms } from '../domain/time.ts';

/** `now()` never goes back within one process. A request reads it once and passes it on. */
export interface Clock {
  now(): Ms;
}

/**
 * Compares this process's clock with the machine's clock, which can be changed from outside.
 *
 * - `follow` adopts the machine's time if it is later than ours; an earlier one changes
 *   nothing.
 * - `aheadMs` is how far `now()` was ahead of the machine's clock at the last comparison.
 */
export interface Timekeeper {
  follow(): void;
  readonly aheadMs: Ms;
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
   * runs never overlap, a failed run does not prevent the next, and `stop` awaits the current
   * run.
   */
  every(intervalMs: Ms, work: () => Promise<void>): { stop(): Promise<void> };
}

/** Calls something once, later. */
export interface Timer {
  /** calls `work` once, after at least `ms`, and never after the returned function was called. */
  after(ms: Ms, work: () => void): () => void;
}
