import type { AttemptId } from '../../../src/values/ids.ts';
import { boundedCall, CALLS_KEPT, type ProviderCall } from '../../../src/attempt/provider-call.ts';
import type { Ms } from '../../../src/values/time.ts';

/**
 * The recorded provider calls of the model, which has already checked that the attempt
 * exists.
 */
export class CallTable {
  readonly #ofAttempt = new Map<AttemptId, readonly ProviderCall[]>();

  add(attemptId: AttemptId, call: ProviderCall): void {
    const calls = [...this.of(attemptId), boundedCall(call)];
    this.#ofAttempt.set(attemptId, calls.slice(-CALLS_KEPT));
  }

  of(attemptId: AttemptId): readonly ProviderCall[] {
    return this.#ofAttempt.get(attemptId) ?? [];
  }

  get times(): Ms[] {
    return [...this.#ofAttempt.values()].flat().map(({ at }) => at);
  }

  /** Removes the oldest first. @returns how many were removed */
  purge(before: Ms, limit: number): number {
    const old = [...this.#ofAttempt.values()]
      .flat()
      .filter(({ at }) => at < before)
      .toSorted((one, other) => one.at - other.at);
    const removed = new Set(old.slice(0, limit));
    for (const [attemptId, calls] of this.#ofAttempt) {
      this.#ofAttempt.set(
        attemptId,
        calls.filter((call) => !removed.has(call)),
      );
    }
    return removed.size;
  }

  delete(attemptId: AttemptId): void {
    this.#ofAttempt.delete(attemptId);
  }
}
