import { monotonicMs, wallMs } from '../platform-clock.ts';

/** A `Date` header has whole seconds, and is on its way for a moment. */
const TOLERANCE_MS = 2_000;
const HALF_SECOND_MS = 500;

/**
 * The time of the server, as far as a page can know it: what a server said last, and what has
 * passed since then. Until a server has said it, the clock of the device is believed.
 */
export class ServerClock {
  #aheadOfMonotonic = wallMs() - monotonicMs();
  #wallAhead = this.#aheadOfMonotonic;

  /** Milliseconds since 1970. */
  now(): number {
    return monotonicMs() + this.#aheadOfMonotonic;
  }

  /** @param dateMs of the header `Date` of an answer that has just come; NaN without it */
  heard(dateMs: number): void {
    const told = dateMs + HALF_SECOND_MS;
    if (Math.abs(told - this.now()) > TOLERANCE_MS) this.#aheadOfMonotonic = told - monotonicMs();
  }

  /**
   * Whether the device has slept, or its clock was set, since this was asked last. A sleep is added
   * to the time; a clock that was set is put right by the next answer of the server.
   */
  hasJumped(): boolean {
    const wallAhead = wallMs() - monotonicMs();
    const jump = wallAhead - this.#wallAhead;
    if (Math.abs(jump) <= TOLERANCE_MS) return false;
    this.#wallAhead = wallAhead;
    this.#aheadOfMonotonic += jump;
    return true;
  }
}
