import type { Clock, Ms } from '../engine/ports.ts';
import type { Timer } from './timer.ts';

/** The times that can be set: dates with four digits, and far from the ends of what a date can be. */
const EARLIEST = Date.UTC(2000, 0, 1);
const LATEST = Date.UTC(2100, 0, 1);
/** What the service's clock showed before a move, and what it shows after it. */
export interface Moved {
  readonly from: Ms;
  readonly to: Ms;
}

/** Timers take no longer ones; a wait that is longer sleeps again. */
const LONGEST_SLEEP_MS: Ms = 86_400_000;

/** What a test may do to the time. */
export type Move =
  /** Goes on by so much, at once. */
  | { readonly advance: Ms }
  /** Stops: now, or at this time. */
  | { readonly freeze: Ms | 'now' }
  /** How far the provider's clock is ahead of the service's; negative: behind. */
  | { readonly skew: Ms }
  /** Back to the machine's time, with one clock for both. */
  | { readonly reset: true };

export interface TimeState {
  readonly now: Ms;
  readonly isFrozen: boolean;
  /** From the clock that nobody moves. */
  readonly aheadMs: Ms;
  readonly skewMs: Ms;
}

/**
 * A clock that tests move, and that also goes back when they say so. It is for simulations only:
 * live mode does not load it.
 */
export class MovableTime implements Clock {
  /** The provider's clock: this one with the skew. */
  readonly provider: Clock = { now: () => this.now() + this.#skewMs };
  readonly #clock: Clock;
  readonly #timer: Timer;
  readonly #listeners: ((moved: Moved) => unknown)[] = [];
  #aheadMs: Ms = 0;
  #frozenAt: Ms | null = null;
  #skewMs: Ms = 0;
  #moved = new AbortController();

  constructor(clock: Clock, timer: Timer) {
    this.#clock = clock;
    this.#timer = timer;
  }

  now(): Ms {
    return this.#frozenAt ?? this.#clock.now() + this.#aheadMs;
  }

  state(): TimeState {
    return this.#stateAt(this.#clock.now());
  }

  #stateAt(clock: Ms): TimeState {
    const now = this.#frozenAt ?? clock + this.#aheadMs;
    return {
      now,
      isFrozen: this.#frozenAt !== null,
      aheadMs: now - clock,
      skewMs: this.#skewMs,
    };
  }

  /** Calls `listener` after each move, and waits for what it returns. */
  onMove(listener: (moved: Moved) => unknown): void {
    this.#listeners.push(listener);
  }

  /**
   * Moves the time, and resolves when those who listen have done what they do then. False, and
   * nothing is changed, if one of the two clocks would be outside of the years 2000 to 2099.
   */
  async move(move: Move): Promise<boolean> {
    // Read once: a reset is exact, although the clock goes on.
    const clock = this.#clock.now();
    const { now: from } = this.#stateAt(clock);
    const next = this.#after(move, clock);
    const times = [next.now, next.now + next.skewMs];
    if (!times.every((time) => time >= EARLIEST && time < LATEST)) return false;
    this.#aheadMs = next.now - clock;
    this.#frozenAt = next.isFrozen ? next.now : null;
    this.#skewMs = next.skewMs;
    const moved = this.#moved;
    this.#moved = new AbortController();
    moved.abort();
    await Promise.all(this.#listeners.map(async (listener) => listener({ from, to: next.now })));
    return true;
  }

  /** Resolves when the provider's clock shows `at`, or as soon as the signal is aborted. */
  async until(at: Ms, signal: AbortSignal): Promise<void> {
    for (let left = this.#leftUntil(at); left > 0 && !signal.aborted; left = this.#leftUntil(at)) {
      const { signal: moved } = this.#moved;
      const ms = this.#frozenAt === null ? Math.min(left, LONGEST_SLEEP_MS) : LONGEST_SLEEP_MS;
      await this.#timer.sleep(ms, AbortSignal.any([signal, moved]));
      // The rest of a millisecond may be left: a timer and a clock are not one.
      if (ms === left && !moved.aborted) return;
    }
  }

  #leftUntil(at: Ms): Ms {
    return at - this.provider.now();
  }

  #after(move: Move, clock: Ms): Omit<TimeState, 'aheadMs'> {
    const { now, isFrozen, skewMs } = this.#stateAt(clock);
    if ('advance' in move) return { now: now + move.advance, isFrozen, skewMs };
    if ('skew' in move) return { now, isFrozen, skewMs: move.skew };
    if ('reset' in move) return { now: clock, isFrozen: false, skewMs: 0 };
    return { now: move.freeze === 'now' ? now : move.freeze, isFrozen: true, skewMs };
  }
}
