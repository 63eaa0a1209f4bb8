import type { Meter } from '../operate/metrics/meter.port.ts';
import type { Outbox } from '../store/ports/store.port.ts';
import { DAY_MS, HOUR_MS, SECOND_MS, type Ms } from '../values/time.ts';
import { DELIVERING_MS } from './webhook.ts';

/**
 * Longer than a request takes that has read the clock before an expiry: what it may still write is
 * written by then, so that nobody is told of an expiry that did not happen.
 */
const EXPIRY_GRACE_MS = 20 * SECOND_MS;
/** What was delivered is kept for whoever looks at the attempt meanwhile. */
const DELIVERED_KEPT_MS = HOUR_MS;
const GIVEN_UP_KEPT_MS = 7 * DAY_MS;
/** Rows of each kind in one transaction. */
const LIMIT = 500;

/** Writes down which attempts have expired. */
export function sweepExpired(outbox: Outbox, now: Ms): Promise<number> {
  return outbox.sweepExpired({ now, graceMs: EXPIRY_GRACE_MS, longestMs: DELIVERING_MS });
}

/** Gives up what has waited too long, and removes what nobody looks for any more. */
export async function clearOutbox(outbox: Outbox, now: Ms): Promise<void> {
  for (;;) {
    const most = await outbox.clear({
      deliveredBefore: now - DELIVERED_KEPT_MS,
      givenUpBefore: now - GIVEN_UP_KEPT_MS,
      sinceBefore: now - DELIVERING_MS,
      at: now,
      limit: LIMIT,
    });
    if (most < LIMIT) return;
  }
}

export async function showWebhooks(
  outbox: Outbox,
  meter: Pick<Meter, 'webhooksStanding'>,
  now: Ms,
): Promise<void> {
  const [waiting, off] = await Promise.all([outbox.waiting(), outbox.switchedOff()]);
  const oldest = Math.min(now, ...waiting.map(({ oldestAt }) => oldestAt));
  meter.webhooksStanding({
    waiting: waiting.reduce((sum, { count }) => sum + count, 0),
    oldestMs: now - oldest,
    switchedOff: off.length,
  });
}
