import type { Ms } from '../../domain/time.ts';
import type { AttemptBell } from '../../ports/coordination.ts';
import type { Timer } from '../../ports/runtime.ts';

/** Two, because a page that is loaded again opens a stream before the earlier one has closed. */
const MOST_FOR_ATTEMPT = 2;
/** The part of all places that one address can take. */
const MOST_FOR_ADDRESS = 0.75;
/**
 * When anything may have changed, each one reads: not all in one moment, which is when the database
 * has just come back.
 */
const PORTION = 100;
const PORTION_PAUSE_MS = 10;

export interface StatusWaitersOptions {
  /** Places on this instance; 0: nobody can wait. */
  readonly most: number;
  /** Tells of changes, on this instance and on others. */
  readonly bell: AttemptBell;
  readonly timer: Timer;
}

/** Those who wait on this instance for an attempt to end: event streams and long polls. */
export class StatusWaiters {
  readonly #options: StatusWaitersOptions;
  readonly #ofAttempt = new Map<string, Set<StatusWaiter>>();
  readonly #ofAddress = new Map<string, number>();
  #open = 0;
  #isStopped = false;
  #stopListening: (() => void) | null = null;
  #react: (open: number) => void = () => undefined;

  constructor(options: StatusWaitersOptions) {
    this.#options = options;
  }

  /** Calls `react` with the number of those who wait whenever it changes. */
  whenChanged(react: (open: number) => void): void {
    this.#react = react;
  }

  /** Null when there is no place, and while the service stops. */
  admit(attemptId: string, address: string): StatusWaiter | null {
    const ofAttempt = this.#ofAttempt.get(attemptId) ?? new Set();
    const ofAddress = this.#ofAddress.get(address) ?? 0;
    const { most } = this.#options;
    const isFull = this.#open >= most || ofAddress >= Math.ceil(most * MOST_FOR_ADDRESS);
    if (this.#isStopped || isFull || ofAttempt.size >= MOST_FOR_ATTEMPT) return null;
    this.#listen();
    const waiter = new StatusWaiter(this.#options.timer, () => {
      ofAttempt.delete(waiter);
      if (ofAttempt.size === 0) this.#ofAttempt.delete(attemptId);
      this.#count(address, -1);
    });
    this.#ofAttempt.set(attemptId, ofAttempt.add(waiter));
    this.#count(address, 1);
    return waiter;
  }

  /** The attempt may have changed. */
  wake(attemptId: string): void {
    for (const waiter of this.#ofAttempt.get(attemptId) ?? []) waiter.wake();
  }

  /** Any attempt may have changed. */
  wakeAll(): void {
    this.#wakeInPortions([...this.#ofAttempt.values()].flatMap((waiters) => [...waiters]));
  }

  /** Ends all waiting, and admits nobody any more. */
  stop(): void {
    this.#isStopped = true;
    this.#stopListening?.();
    for (const waiters of this.#ofAttempt.values()) {
      for (const waiter of waiters) waiter.end();
    }
  }

  /** From the first one who waits: to listen may cost a connection. */
  #listen(): void {
    this.#stopListening ??= this.#options.bell.onRing({
      onAttempt: (attemptId) => this.wake(attemptId),
      onAny: () => this.wakeAll(),
    });
  }

  #wakeInPortions(waiters: readonly StatusWaiter[]): void {
    for (const waiter of waiters.slice(0, PORTION)) waiter.wake();
    if (waiters.length <= PORTION) return;
    this.#options.timer.after(PORTION_PAUSE_MS, () => this.#wakeInPortions(waiters.slice(PORTION)));
  }

  #count(address: string, change: 1 | -1): void {
    this.#open += change;
    const left = (this.#ofAddress.get(address) ?? 0) + change;
    if (left === 0) this.#ofAddress.delete(address);
    else this.#ofAddress.set(address, left);
    this.#react(this.#open);
  }
}

/** One who waits. */
export class StatusWaiter {
  readonly #timer: Timer;
  readonly #leave: () => void;
  #isAwake = false;
  #isOver = false;
  #stopWaiting: () => void = () => undefined;

  constructor(timer: Timer, leave: () => void) {
    this.#timer = timer;
    this.#leave = leave;
  }

  /** Its caller is gone, or the service stops. */
  get isOver(): boolean {
    return this.#isOver;
  }

  /** Resolves after `ms`, or sooner when it is woken. A wake before the call counts too. */
  async next(ms: Ms): Promise<void> {
    if (!this.#isAwake && !this.#isOver) {
      await new Promise<void>((resolve) => {
        const cancel = this.#timer.after(ms, resolve);
        this.#stopWaiting = () => {
          cancel();
          resolve();
        };
      });
    }
    this.#isAwake = false;
  }

  wake(): void {
    this.#isAwake = true;
    this.#stopWaiting();
  }

  /** Gives the place free. May be called more than once. */
  end(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#leave();
    this.#stopWaiting();
  }
}
