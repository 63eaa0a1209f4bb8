import type { Ms } from '../../../values/time.ts';
import type { Timer } from '../../../platform/runtime.port.ts';

/** How long one operation may take, with its waiting for a connection and its repeats. */
export class Deadline {
  readonly reason: string;
  readonly #cancel: () => void;
  readonly #reactions = new Set<() => void>();
  #isOver = false;

  constructor(timer: Timer, ms: Ms) {
    this.reason = `the database did not answer within ${ms} ms`;
    this.#cancel = timer.after(ms, () => this.pass());
  }

  get isOver(): boolean {
    return this.#isOver;
  }

  /**
   * Calls `react` when the time is over, at once if it is over already.
   * @returns a function after which `react` is not called any more
   */
  whenOver(react: () => void): () => void {
    if (this.#isOver) react();
    else this.#reactions.add(react);
    return () => void this.#reactions.delete(react);
  }

  /** The operation has ended. */
  clear(): void {
    this.#cancel();
    this.#reactions.clear();
  }

  /** Ends the time, also before it is over. */
  pass(): void {
    this.#isOver = true;
    for (const react of this.#reactions) react();
    this.#reactions.clear();
  }
}
