import { collectResult, type CollectServices } from '../attempt/read-attempt.flow.ts';
import type { Clock } from '../platform/runtime.port.ts';
import type { AttemptId } from '../values/ids.ts';

/** How many attempts are asked about in one round. */
const LIMIT = 64;
/** Of them at a time, so that those who wait for their sign-in come first. */
const AT_ONCE = 8;

/**
 * Asks the provider about pending attempts whose back end waits for a webhook: nobody may be reading
 * their status. How often one push is asked about is limited for all who ask.
 * @returns a round, to be called again and again
 */
export function collectForReceivers(
  services: CollectServices,
  clock: Clock,
  onError: (error: unknown) => void,
): () => Promise<void> {
  let after: AttemptId | null = null;
  return async () => {
    const now = clock.now();
    const page = { now, after, limit: LIMIT };
    const pending = await services.store.outbox.pendingOfTold(page);
    after = pending.length < LIMIT ? null : (pending.at(-1)?.attemptId ?? null);
    for (let from = 0; from < pending.length; from += AT_ONCE) {
      const some = pending.slice(from, from + AT_ONCE);
      const asked = some.map((attempt) => collectResult(services, { attempt, user: null }, now));
      for (const one of await Promise.allSettled(asked)) {
        if (one.status === 'rejected') onError(one.reason);
      }
    }
  };
}
