import type { Ms } from '../../engine/ports.ts';
import type { Journal } from '../../journal/journal.ts';
import type { Timer } from '../../platform/timer.ts';

const STEP_MS: Ms = 50;
/** Without news in the journal it is looked in each fifth step: time alone can end an attempt. */
const QUIET_STEPS = 5;

interface WaitersParts<Question, View> {
  readonly look: (question: Question) => Promise<View>;
  /** Those who ask the same share a look. */
  readonly keyOf: (question: Question) => string;
  readonly journal: Journal;
  readonly timer: Timer;
}

interface Wish<Question, View> {
  readonly question: Question;
  /** Whether this is what is waited for, or it can't come any more. */
  readonly isOver: (view: View) => boolean;
  readonly ms: Ms;
  /** Aborted when nobody waits any more. */
  readonly signal: AbortSignal;
}

interface Waiter<Question, View> extends Wish<Question, View> {
  readonly key: string;
  /** By the timer's `elapsed`. */
  readonly until: Ms;
  view: View;
  readonly resolve: (view: View) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * All who wait for a view to change, with one loop and one look for those who ask the same: a crowd
 * costs no more than one of them. It is looked after something was recorded, and else more seldom.
 */
export class Waiters<Question, View> {
  readonly #parts: WaitersParts<Question, View>;
  readonly #waiting = new Set<Waiter<Question, View>>();
  #isLooking = false;

  constructor(parts: WaitersParts<Question, View>) {
    this.#parts = parts;
  }

  /**
   * @returns the first view that is over, or the last one when the time has passed or the signal
   * is aborted; rejects as the look does
   */
  async wait(wish: Wish<Question, View>): Promise<View> {
    const { question, isOver, ms, signal } = wish;
    const until = this.#parts.timer.elapsed() + ms;
    const view = await this.#parts.look(question);
    if (ms === 0 || signal.aborted || isOver(view)) return view;
    return new Promise((resolve, reject) => {
      const key = this.#parts.keyOf(question);
      const waiter = { ...wish, key, view, until, resolve, reject };
      this.#waiting.add(waiter);
      signal.addEventListener('abort', () => this.#end(waiter), { once: true });
      if (!this.#isLooking) void this.#lookOn();
    });
  }

  async #lookOn(): Promise<void> {
    this.#isLooking = true;
    const { journal, timer } = this.#parts;
    let seen = journal.lastTurn();
    for (let step = 1; this.#waiting.size > 0; step += 1) {
      await timer.sleep(STEP_MS, new AbortController().signal);
      const turn = journal.lastTurn();
      const isDue = turn !== seen || step % QUIET_STEPS === 0;
      seen = turn;
      const time = timer.elapsed();
      // Who is told that nothing has come is told so after a look of this step.
      await this.#look(isDue ? [...this.#waiting] : this.#endingAt(time));
      for (const waiter of this.#endingAt(time)) this.#end(waiter);
    }
    this.#isLooking = false;
  }

  #endingAt(time: Ms): readonly Waiter<Question, View>[] {
    return [...this.#waiting].filter(({ until }) => until <= time);
  }

  /** All questions at once, so that a slow look of one keeps those who ask another for no longer. */
  async #look(asking: readonly Waiter<Question, View>[]): Promise<void> {
    const looks = new Map<string, Promise<View>>();
    const shown = asking.map((waiter) => {
      const { key, question } = waiter;
      const look = looks.get(key) ?? this.#parts.look(question);
      looks.set(key, look);
      return look.then(
        (view) => this.#show(waiter, view),
        (error: unknown) => this.#fail(waiter, error),
      );
    });
    await Promise.all(shown);
  }

  #show(waiter: Waiter<Question, View>, view: View): void {
    waiter.view = view;
    if (waiter.isOver(view)) this.#end(waiter);
  }

  #fail(waiter: Waiter<Question, View>, error: unknown): void {
    this.#waiting.delete(waiter);
    waiter.reject(error);
  }

  #end(waiter: Waiter<Question, View>): void {
    this.#waiting.delete(waiter);
    waiter.resolve(waiter.view);
  }
}
