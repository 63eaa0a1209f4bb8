import { ATTEMPT_LIFETIME_MS } from '../domain/attempt.ts';
import type { AttemptId } from '../domain/attempt-id.ts';
import type { Ms } from '../domain/time.ts';

/**
 * Attempts that are spoiled, and of which the store does not know it (yet): it was full, too busy,
 * or is still writing. Each is kept for the longest time that an attempt can be open, so there are
 * never more than the attempts that can be open at once. A restart forgets them.
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

  /** The oldest come first: a map keeps the order of insertion. */
  #dropEnded(now: Ms): void {
    for (const [attemptId, since] of this.#since) {
      if (now < since + ATTEMPT_LIFETIME_MS) return;
      this.#since.delete(attemptId);
    }
  }
}
