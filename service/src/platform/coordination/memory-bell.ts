import type { AttemptId } from '../../domain/attempt-id.ts';
import type { AttemptBell, BellListener } from '../../ports/coordination.ts';

/** Within one process no ring is lost, so `onAny` is never called. */
export class MemoryBell implements AttemptBell {
  readonly #listeners = new Set<BellListener>();

  ring(attemptId: AttemptId): void {
    for (const { onAttempt } of this.#listeners) onAttempt(attemptId);
  }

  onRing(listener: BellListener): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }
}
