import { DAY_MS, type Ms } from '../values/time.ts';
import type { Store } from '../store/ports/store.port.ts';

/** Rows per transaction, limited because other writes wait meanwhile. */
const ROWS_AT_ONCE = 2000;

/**
 * Removes the oldest rows of the audit log, those past their retention. Each cut adds a row itself,
 * so nothing is cut until the oldest row is a day past the retention.
 */
export async function cutAudit(store: Store, retentionMs: Ms, now: Ms): Promise<number> {
  const before = now - retentionMs;
  const [oldest] = await store.readAudit({ after: 0, limit: 1 });
  if (oldest === undefined || oldest.at >= before - DAY_MS) return 0;
  let total = 0;
  for (;;) {
    const cut = await store.cutAudit({ before, limit: ROWS_AT_ONCE, at: now });
    total += cut;
    if (cut < ROWS_AT_ONCE) return total;
  }
}
