import { DAY_MS, type Ms } from '../domain/time.ts';
import type { Store } from '../ports/store.ts';

/** Rows in one transaction: others are waiting for the writer. */
const ROWS_AT_ONCE = 2000;

/**
 * Takes rows that have outlived their retention off the front of the audit log. Each cut is a row of
 * its own, so it waits until there is a day's worth of them.
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
