import { REPLAY_WINDOW_MS } from '../attempt/redeem/idempotency.ts';
import type { Ms } from '../values/time.ts';
import type { PurgeCounts, Store } from '../store/ports/store.port.ts';

/** Rows of each kind per call, limited so that a purge does not delay requests that are waiting. */
const PURGE_BATCH = 500;

/** Removes everything past its retention, in small steps until nothing is left to remove. */
export async function purge(store: Store, retentionMs: Ms, now: Ms): Promise<PurgeCounts> {
  const total = { attempts: 0, tokens: 0, seals: 0, openid: 0 };
  for (;;) {
    const step = await store.purge({
      expiredBefore: now - retentionMs,
      redeemedBefore: now - REPLAY_WINDOW_MS,
      limit: PURGE_BATCH,
    });
    total.attempts += step.attempts;
    total.tokens += step.tokens;
    total.seals += step.seals;
    total.openid += step.openid;
    const most = Math.max(step.attempts, step.tokens, step.seals, step.openid);
    if (most < PURGE_BATCH) return total;
  }
}
