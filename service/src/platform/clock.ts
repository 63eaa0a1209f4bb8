import type { Ms } from '../domain/time.ts';
import type { Clock, Timekeeper } from '../ports/runtime.ts';

/** Both in milliseconds: the machine's clock, which can be set, and one that only counts. */
export interface TimeSources {
  wall(): number;
  monotonic(): number;
}

const MACHINE: TimeSources = {
  wall: () => Date.now(),
  monotonic: () => performance.now(),
};

/**
 * The machine's clock at one moment, moved on by the monotonic one. Somebody who sets the machine's
 * clock back can't bring back what expired; where it is later than this one, because it was
 * corrected or the machine has slept, `follow` takes it over.
 */
export class SystemClock implements Clock, Timekeeper {
  readonly #sources: TimeSources;
  /** What has to be added to the monotonic clock. Never less than before. */
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
