import { ATTEMPT_LIFETIME_MS } from '../domain/attempt.ts';
import type { AttemptId } from '../domain/attempt-id.ts';
import type { Ms } from '../domain/time.ts';

/**
 * Spoiled attempts whose mark is not in the store, because the store was full or busy or is still
 * writing. Each is kept as long as an attempt can be open, so there are never more than attempts
 * that are open at the same time. A restart loses them.
 */
export class HeldSpoils {
  readonly #since = new Map<AttemptId, Ms>();

  hold(attemptId: AttemptId, now: Ms): void {
    this.#dropEnded(now);
    if (!this.#since.has(attemptId)) this.#since.set(attemptId, now);
  }

  release(attemptId: AttemptId): void {
    this.#since.delete(attemptId);
  }

  has(attemptId: AttemptId): boolean {
    return this.#since.has(attemptId);
  }

  /** A Map keeps the order of insertion, so the oldest come first. */
  #dropEnded(now: Ms): void {
    for (const [attemptId, since] of this.#since) {
      if (now < since + ATTEMPT_LIFETIME_MS) return;
      this.#since.delete(attemptId);
    }
  }
}
