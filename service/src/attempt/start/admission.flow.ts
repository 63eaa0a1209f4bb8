import { STORE_OVERLOAD_LIMIT, REQUEST_OVERLOAD_LIMIT } from '../../values/limits.ts';
import type { Ms } from '../../values/time.ts';

/** The age of the oldest start in the store from which further ones are refused. */
const STORE_LATE_MS: Ms = 250;
/** So many starts, or fewer, are not too many, even when a disk or a database stops for a moment. */
const NEVER_TOO_MANY = 16;
/** One start in this time is admitted in any case. */
const ALWAYS_EVERY_MS: Ms = 50;

/**
 * Decides whether another attempt may be started while there is more work than can be done
 * (decision 0108). It looks at delays, because a queue's length says nothing about the time that a
 * slower machine or database needs for it.
 *
 * However long the queues are, 20 starts a second are admitted: a flood of requests that are refused
 * for another reason keeps nobody from signing in, and the service sees when it is over.
 */
export class Admission {
  /** When each start that is in the store began there, oldest first. */
  readonly #inStore = new Map<symbol, Ms>();
  #nextAlways: Ms = Number.NEGATIVE_INFINITY;

  /** @returns to be called when the store has answered */
  enterStore(now: Ms): () => void {
    const key = Symbol();
    this.#inStore.set(key, now);
    return () => void this.#inStore.delete(key);
  }

  /**
   * @param isLate whether the request has waited too long in this process
   * @returns the limit that refuses the start; null when it is admitted
   */
  limitOf(isLate: boolean, now: Ms): string | null {
    const limit = isLate
      ? REQUEST_OVERLOAD_LIMIT
      : this.#isStoreLate(now)
        ? STORE_OVERLOAD_LIMIT
        : null;
    if (limit === null || now < this.#nextAlways) return limit;
    this.#nextAlways = now + ALWAYS_EVERY_MS;
    return null;
  }

  #isStoreLate(now: Ms): boolean {
    if (this.#inStore.size <= NEVER_TOO_MANY) return false;
    const [oldest = now] = this.#inStore.values();
    return now - oldest >= STORE_LATE_MS;
  }
}
