import { REPLAY_WINDOW_MS } from '../domain/idempotency.ts';
import type { Ms } from '../domain/time.ts';
import type { PurgeCounts, Store } from '../ports/store.ts';

/** Rows of each kind in one call: a purge must not hold up the requests that wait beside it. */
const PURGE_BATCH = 500;

/** Removes what has outlived its retention, in small steps until nothing is left to remove. */
export async function purge(store: Store, retentionMs: Ms, now: Ms): Promise<PurgeCounts> {
  const total = { attempts: 0, tokens: 0, seals: 0 };
  for (;;) {
    const step = await store.purge({
      expiredBefore: now - retentionMs,
      redeemedBefore: now - REPLAY_WINDOW_MS,
      limit: PURGE_BATCH,
    });
    total.attempts += step.attempts;
    total.tokens += step.tokens;
    total.seals += step.seals;
    if (Math.max(step.attempts, step.tokens, step.seals) < PURGE_BATCH) return total;
  }
}
