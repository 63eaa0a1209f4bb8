import type { Ms } from '../domain/time.ts';

/** `now()` never goes back within one process. Read once per request, then passed on. */
export interface Clock {
  now(): Ms;
}

/**
 * Compares the clock with the machine's, which somebody may set.
 *
 * - `follow` takes over a machine's clock that is later; one that is earlier changes nothing.
 * - `aheadMs` is how far `now()` was ahead of the machine's clock at the last comparison.
 */
export interface Timekeeper {
  follow(): void;
  readonly aheadMs: Ms;
}

/** from a cryptographically secure source, each result used once. */
export interface Random {
  bytes(length: number): Uint8Array;
  /** decimal digits, each value equally likely, leading zeros kept. */
  digits(length: number): string;
}

/** Work that is repeated in the background until it is stopped. */
export interface Scheduler {
  /** runs never overlap, a failed run does not stop the next, `stop` awaits the current one. */
  every(intervalMs: Ms, work: () => Promise<void>): { stop(): Promise<void> };
}

/** What is counted, and what each number says. */
export const COUNTED = {
  push_suppressed_total: 'Pushes that were not sent because a budget was spent',
  push_mismatch_total: 'Signed results that named another person than was asked for',
  browser_mismatch_total: 'Returns or launches in another browser than the one that began',
} as const;
export type Counted = keyof typeof COUNTED;

/** counting never fails and never waits; no number is about one person. */
export interface Meter {
  count(name: Counted): void;
  readonly mediaType: string;
  render(): Promise<string>;
}
