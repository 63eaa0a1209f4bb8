/** Everything else waits while it is done; this much takes a few milliseconds. */
export const MOST_IN_TURN = 32;

/**
 * Spreads work over the turns of the event loop that does not come by a group of requests: what
 * follows the end of a body, and the answer to what is no request. Thousands of clients can have all
 * but the last byte sent, and send it at once.
 *
 * What there is a place for is done at once, so that nobody waits without pressure.
 */
export class LateWork {
  readonly #atEndOfTurn: (work: () => void) => void;
  /** None, as long as anything waits. */
  #places = MOST_IN_TURN;
  #waiting: (() => void)[] = [];
  #isScheduled = false;

  constructor(atEndOfTurn: (work: () => void) => void) {
    this.#atEndOfTurn = atEndOfTurn;
  }

  /** Calls `work` now, or in its turn. It must not throw. */
  do(work: () => void): void {
    this.#schedule();
    if (this.#places === 0) {
      this.#waiting.push(work);
      return;
    }
    this.#places -= 1;
    work();
  }

  #schedule(): void {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    this.#atEndOfTurn(() => {
      this.#isScheduled = false;
      const next = this.#waiting.splice(0, MOST_IN_TURN);
      this.#places = MOST_IN_TURN - next.length;
      if (next.length > 0) this.#schedule();
      for (const work of next) work();
    });
  }
}
