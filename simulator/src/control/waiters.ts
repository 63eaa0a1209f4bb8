import type { Ms } from '../engine/ports.ts';
import type { Journal } from '../journal/journal.ts';
import type { Timer } from '../timer.ts';

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
  stepsLeft: number;
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
    const view = await this.#parts.look(question);
    if (ms === 0 || signal.aborted || isOver(view)) return view;
    return new Promise((resolve, reject) => {
      const key = this.#parts.keyOf(question);
      const waiter = { ...wish, key, view, stepsLeft: ms / STEP_MS, resolve, reject };
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
      for (const waiter of this.#waiting) waiter.stepsLeft -= 1;
      // Who is told that nothing has come is told so after a look of this step.
      await this.#look(isDue ? [...this.#waiting] : this.#ending());
      for (const waiter of this.#ending()) this.#end(waiter);
    }
    this.#isLooking = false;
  }

  #ending(): readonly Waiter<Question, View>[] {
    return [...this.#waiting].filter(({ stepsLeft }) => stepsLeft <= 0);
  }

  async #look(asking: readonly Waiter<Question, View>[]): Promise<void> {
    const looks = new Map<string, Promise<View>>();
    for (const waiter of asking) {
      const { key, question } = waiter;
      const look = looks.get(key) ?? this.#parts.look(question);
      looks.set(key, look);
      try {
        this.#show(waiter, await look);
      } catch (error) {
        this.#fail(waiter, error);
      }
    }
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
