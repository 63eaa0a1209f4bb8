import { SHORTEST_RETENTION_MS, type RetentionLimits } from '../values/retention.ts';
import type { Ms } from '../values/time.ts';
import type { Store, TrimCounts } from '../store/ports/store.port.ts';

/** Rows of each kind per call, limited so that requests do not wait for long. */
const TRIM_BATCH = 500;

/**
 * Removes the oldest attempts and calls beyond the limits, in small steps. An attempt that is open,
 * whose redemption may be repeated, or that pauses pushes is kept, whatever the limit is.
 */
export async function trim(store: Store, limits: RetentionLimits, now: Ms): Promise<TrimCounts> {
  const total = { attempts: 0, calls: 0 };
  if (Object.values(limits).every((limit) => limit === null)) return total;
  const { maxAttempts, maxCalls, callsMs } = limits;
  const cutoffs = await store.findRowCutoffs({ attempts: maxAttempts, calls: maxCalls });
  const bounds = {
    attemptsBefore: Math.min(cutoffs.attempts ?? 0, now - SHORTEST_RETENTION_MS),
    callsBefore: Math.max(cutoffs.calls ?? 0, callsMs === null ? 0 : now - callsMs),
    limit: TRIM_BATCH,
  };
  for (;;) {
    const step = await store.trim(bounds);
    total.attempts += step.attempts;
    total.calls += step.calls;
    if (Math.max(step.attempts, step.calls) < TRIM_BATCH) return total;
  }
}
