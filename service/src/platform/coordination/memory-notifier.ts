import type { AttemptId } from '../../attempt/attempt-id.ts';
import type { AttemptNotifier, NoticeListener } from './coordination.port.ts';

/** Within one process no notice is lost, so `onAny` is never called. */
export class MemoryNotifier implements AttemptNotifier {
  readonly #listeners = new Set<NoticeListener>();

  notify(attemptId: AttemptId): void {
    for (const { onAttempt } of this.#listeners) onAttempt(attemptId);
  }

  listen(listener: NoticeListener): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }
}
