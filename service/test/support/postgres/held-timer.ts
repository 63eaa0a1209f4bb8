import type { Timer } from '../../../src/platform/runtime.port.ts';
import type { Ms } from '../../../src/values/time.ts';
import { systemTimer } from '../../../src/platform/runtime.ts';

/** Deadlines of tests are longer, and pauses between tries are shorter. */
const HELD_FROM_MS = 30_000;

/**
 * Deadlines come when the test says so: with one of some hundred milliseconds a slow machine would
 * end what has to be answered. Short waits are those of the system.
 */
export class HeldTimer implements Timer {
  readonly #held = new Set<{ readonly ms: Ms; readonly work: () => void }>();

  after(ms: Ms, work: () => void): () => void {
    if (ms < HELD_FROM_MS) return systemTimer.after(ms, work);
    const wait = { ms, work };
    this.#held.add(wait);
    return () => void this.#held.delete(wait);
  }

  /** How many waits of exactly this length have begun and not ended. */
  waiting(length: Ms): number {
    return [...this.#held].filter(({ ms }) => ms === length).length;
  }

  /** Ends those that have begun and are not longer, the shortest first. */
  pass(length: Ms): void {
    const over = [...this.#held].filter(({ ms }) => ms <= length);
    for (const wait of over.toSorted((one, other) => one.ms - other.ms)) {
      if (this.#held.delete(wait)) wait.work();
    }
  }
}
