import type { AttemptId } from '../values/ids.ts';
import { ATTEMPT_LIFETIME_MS, type AttemptRecord } from './attempt.ts';
import type { Ms } from '../values/time.ts';

interface Held {
  readonly record: AttemptRecord;
  readonly since: Ms;
}

/**
 * Spoiled attempts whose mark is not in the store, because the store was full or busy or is still
 * writing. Each is kept until its mark is written, and at most as long as an attempt can be open, so
 * there are never more than attempts that are open at the same time. Only a kill loses them.
 */
export class HeldSpoils {
  readonly #held = new Map<AttemptId, Held>();

  hold(record: AttemptRecord, now: Ms): void {
    this.#dropEnded(now);
    const { attemptId } = record;
    if (!this.#held.has(attemptId)) this.#held.set(attemptId, { record, since: now });
  }

  release(attemptId: AttemptId): void {
    this.#held.delete(attemptId);
  }

  has(attemptId: AttemptId): boolean {
    return this.#held.has(attemptId);
  }

  /** Those whose mark is still to be written. */
  unwritten(now: Ms): readonly AttemptRecord[] {
    this.#dropEnded(now);
    return [...this.#held.values()].map(({ record }) => record);
  }

  /** Puts it behind the others, so that one that can't be written keeps none of them waiting. */
  postpone(attemptId: AttemptId): void {
    const held = this.#held.get(attemptId);
    if (held === undefined) return;
    this.#held.delete(attemptId);
    this.#held.set(attemptId, held);
  }

  #dropEnded(now: Ms): void {
    for (const [attemptId, { since }] of this.#held) {
      if (now >= since + ATTEMPT_LIFETIME_MS) this.#held.delete(attemptId);
    }
  }
}
