import { Refusal } from '../../errors/refusal.ts';
import type { PendingPushes } from '../../store/ports/store.port.ts';
import type { AttemptId } from '../../values/ids.ts';
import type { Ms } from '../../values/time.ts';
import { expiryOf } from '../attempt.ts';
import { collectResult, type CollectServices } from '../read-attempt.flow.ts';

/** How many are asked about at a time, so that those who wait for their sign-in come first. */
const AT_ONCE = 8;

/**
 * Asks what was decided about pending attempts by phone, of which nobody may be reading the status.
 * @returns a function to be called again and again. Each call asks about the next page of the attempts
 * that are pending `now`: what was decided of each until `until`. It resolves to whether this was the
 * last page. A `Refusal` is passed over, because the call of a provider that is away has been counted
 * and logged; any other error is thrown.
 */
export function collectPending(
  services: CollectServices,
  wanted: Pick<PendingPushes, 'of' | 'limit'>,
): (now: Ms, until?: Ms) => Promise<boolean> {
  let after: AttemptId | null = null;
  return async (now, until = now) => {
    const pending = await services.store.outbox.pendingPushes({ ...wanted, now, after });
    after = pending.length < wanted.limit ? null : (pending.at(-1)?.attemptId ?? null);
    for (let from = 0; from < pending.length; from += AT_ONCE) {
      const some = pending.slice(from, from + AT_ONCE);
      const asked = some.map((attempt) => {
        // What was decided in time counts, also for an attempt that has expired at `until`.
        const at = Math.min(until, expiryOf(attempt) - 1);
        return collectResult(services, { attempt, user: null }, at);
      });
      for (const one of await Promise.allSettled(asked)) {
        if (one.status === 'rejected' && !(one.reason instanceof Refusal)) throw one.reason;
      }
    }
    return after === null;
  };
}
