import type { AttemptId } from '../../../domain/attempt-id.ts';
import { boundedCall, CALLS_KEPT, type ProviderCall } from '../../../domain/provider-call.ts';

/**
 * The recorded provider calls of the memory store, which has already checked that the attempt
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

  delete(attemptId: AttemptId): void {
    this.#ofAttempt.delete(attemptId);
  }
}
