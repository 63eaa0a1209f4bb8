import type { Ms } from '../domain/time.ts';
import type { Clock, Timekeeper } from '../ports/runtime.ts';

/** Both in milliseconds: the machine's clock, which can be changed, and one that only counts up. */
export interface TimeSources {
  wall(): number;
  monotonic(): number;
}

const MACHINE: TimeSources = {
  wall: () => Date.now(),
  monotonic: () => performance.now(),
};

/**
 * Reads the machine's clock once and then adds the time that the monotonic clock measures. So
 * nobody can make expired things valid again by setting the machine's clock back. If the machine's
 * clock is later than this one, because it was corrected or the machine slept, `follow` adopts it.
 */
export class SystemClock implements Clock, Timekeeper {
  readonly #sources: TimeSources;
  /** Added to the monotonic clock to get the time. It never decreases. */
  #offset: Ms;
  #aheadMs: Ms = 0;

  constructor(sources: TimeSources = MACHINE) {
    this.#sources = sources;
    this.#offset = this.#difference();
  }

  get aheadMs(): Ms {
    return this.#aheadMs;
  }

  now(): Ms {
    return Math.floor(this.#offset + this.#sources.monotonic());
  }

  follow(): void {
    const difference = this.#difference();
    this.#offset = Math.max(this.#offset, difference);
    this.#aheadMs = Math.floor(this.#offset - difference);
  }

  #difference(): number {
    return this.#sources.wall() - this.#sources.monotonic();
  }
}

export const systemClock = new SystemClock();
