import { randomFillSync, randomInt } from 'node:crypto';
import { setImmediate as atEnd } from 'node:timers';
import { setImmediate } from 'node:timers/promises';
import { SECOND_MS, type Ms } from '../values/time.ts';
import type { Clock, Timekeeper, Timer, Random } from './runtime.port.ts';

/** Both in milliseconds: the machine's clock, which can be changed, and one that only counts up. */
export interface TimeSources {
  wall(): number;
  monotonic(): number;
}

const MACHINE: TimeSources = {
  wall: () => Date.now(),
  monotonic: monotonicMs,
};

/** Since the process began, by the clock that only counts up. */
export function monotonicMs(): Ms {
  return performance.now();
}

/** A measurement is wrong by half of the time that it took, at most. */
const LONGEST_MEASUREMENT_MS: Ms = 2 * SECOND_MS;
/** How much slower the clock may go while it is ahead of the database's. */
const SLOWER = 0.01;

/** The last comparison with the database's clock. */
interface Measured {
  /** Added to the monotonic clock to get the database's time. */
  readonly offset: Ms;
  /** By the monotonic clock. */
  readonly at: Ms;
}

/**
 * Reads the machine's clock once and then adds the time that the monotonic clock measures. So
 * nobody can make expired things valid again by setting the machine's clock back. If the machine's
 * clock is later than this one, because it was corrected or the machine slept, `follow` adopts it.
 * With a database its clock takes the place of the machine's, so that all instances agree.
 */
export class SystemClock implements Clock, Timekeeper {
  readonly #sources: TimeSources;
  /** Added to the monotonic clock to get the time. */
  #offset: Ms;
  #last: Ms = Number.NEGATIVE_INFINITY;
  #aheadMs: Ms = 0;
  #measured: Measured | null = null;

  constructor(sources: TimeSources = MACHINE) {
    this.#sources = sources;
    this.#offset = this.#difference();
  }

  get aheadMs(): Ms {
    return this.#aheadMs;
  }

  get machineAheadMs(): Ms | null {
    return this.#measured === null ? null : Math.round(this.#difference() - this.#measured.offset);
  }

  now(): Ms {
    this.#last = Math.max(this.#last, Math.floor(this.#offset + this.#sources.monotonic()));
    return this.#last;
  }

  follow(): void {
    if (this.#measured !== null) return;
    const difference = this.#difference();
    this.#offset = Math.max(this.#offset, difference);
    this.#aheadMs = Math.floor(this.#offset - difference);
  }

  async followDatabase(read: () => Promise<Ms>): Promise<void> {
    const sent = this.#sources.monotonic();
    const time = await read();
    const received = this.#sources.monotonic();
    const isFirst = this.#measured === null;
    if (!isFirst && received - sent > LONGEST_MEASUREMENT_MS) return;
    // The database read its clock between the two: in the middle, as far as anybody knows.
    const offset = time - (sent + received) / 2;
    if (this.#measured === null) {
      this.#last = Number.NEGATIVE_INFINITY;
      this.#offset = offset;
    } else if (time - received > this.#offset) {
      this.#offset = offset;
    } else {
      const slowed = this.#offset - (received - this.#measured.at) * SLOWER;
      this.#offset = Math.max(Math.min(offset, this.#offset), slowed);
    }
    this.#measured = { offset, at: received };
    this.#aheadMs = Math.max(0, Math.floor(this.#offset - offset));
  }

  #difference(): number {
    return this.#sources.wall() - this.#sources.monotonic();
  }
}

export const systemClock = new SystemClock();

/**
 * Read from the system in one call and used for many small requests: a start needs some 70 bytes.
 */
const POOL_BYTES = 8 * 1024;

export function createRandom(): Random {
  const pool = new Uint8Array(POOL_BYTES);
  let used = POOL_BYTES;

  function refill(): void {
    randomFillSync(pool);
    used = 0;
  }

  return {
    bytes(length) {
      if (length > POOL_BYTES - used) refill();
      const taken = pool.slice(used, used + length);
      // Bytes that were handed out must not stay readable in the pool.
      pool.fill(0, used, used + length);
      used += length;
      return taken;
    },
    digits: (length) => String(randomInt(10 ** length)).padStart(length, '0'),
  };
}

let latest: Promise<void> = Promise.resolve();

/**
 * Resolves in a later turn of the event loop, after everything that has arrived by then on all
 * connections. Of several callers one goes on in each turn, in their order: Node accepts one
 * connection in a turn, so a turn in which all of them work makes every new connection wait.
 */
export function nextTurn(): Promise<void> {
  latest = latest.then(() => setImmediate());
  return latest;
}

/**
 * Calls `work` at the end of this turn of the event loop, after everything that arrived in it on
 * all connections.
 */
export function atEndOfTurn(work: () => void): void {
  atEnd(work);
}

export const systemTimer: Timer = {
  after(ms, work) {
    const timer = setTimeout(work, ms);
    return () => clearTimeout(timer);
  },
};
