import { isDue, MINUTE_MS, SECOND_MS, type Ms } from './time.ts';

/**
 * What is leased to be sent to a host of a client is nobody else's for so long: it may wait for its
 * turn, a call lasts three seconds at most, and its answer has to be written.
 */
export const LEASE_MS = 20 * SECOND_MS;
/** After the first failure. */
export const FIRST_WAIT_MS = 5 * SECOND_MS;
/** So that what has just been written does not wait for long once a host is back. */
export const LONGEST_PAUSE_MS = 5 * MINUTE_MS;

interface Pause {
  readonly until: Ms;
  readonly ms: Ms;
}

/** Hosts that have failed and are left alone for some time, so that one that is away costs nothing. */
export class Pauses {
  readonly #pauses = new Map<string, Pause>();

  /** @param ms how long, but never longer than a few minutes */
  begin(host: string, ms: Ms, now: Ms): void {
    const least = Math.min(ms, LONGEST_PAUSE_MS);
    this.#pauses.set(host, { until: now + least, ms: least });
  }

  /** It has answered. */
  end(host: string): void {
    this.#pauses.delete(host);
  }

  has(host: string, now: Ms): boolean {
    const pause = this.#pauses.get(host);
    return pause !== undefined && !isDue(pause.until, pause.ms, now);
  }
}
