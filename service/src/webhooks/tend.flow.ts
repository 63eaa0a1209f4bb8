import type { Meter } from '../operate/metrics/meter.port.ts';
import type { GiveUpDeliveries, Outbox } from '../store/ports/store.port.ts';
import { DAY_MS, HOUR_MS, SECOND_MS, type Ms } from '../values/time.ts';
import { DELIVERING_MS, MOST_WAITING, sumOf } from './webhook.ts';

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

/**
 * Gives up what has waited too long, and removes what nobody looks for any more.
 * @returns how many were given up, by receiver
 */
export async function clearOutbox(outbox: Outbox, now: Ms): Promise<ReadonlyMap<string, number>> {
  const counts = new Map<string, number>();
  for (;;) {
    const { most, givenUp } = await outbox.clear({
      deliveredBefore: now - DELIVERED_KEPT_MS,
      givenUpBefore: now - GIVEN_UP_KEPT_MS,
      sinceBefore: now - DELIVERING_MS,
      at: now,
      limit: LIMIT,
    });
    for (const receiver of givenUp) counts.set(receiver, (counts.get(receiver) ?? 0) + 1);
    if (most < LIMIT) return counts;
  }
}

/**
 * What the numbers count, each time they are looked at. With more, the number is this one.
 * SQLite reads on the main thread, so requests wait for it.
 */
export const MOST_COUNTED = 1_000;
/** In pieces, so that a sign-in never waits for all of them. @returns how many */
export async function giveUpWaiting(
  outbox: Outbox,
  which: Omit<GiveUpDeliveries, 'limit' | 'isOldestFirst'>,
): Promise<number> {
  for (let total = 0; ;) {
    const count = await outbox.giveUp({ ...which, limit: LIMIT, isOldestFirst: false });
    total += count;
    if (count < LIMIT) return total;
  }
}

/** Pieces of one round, 200,000 rows: what comes meanwhile must not keep it going. */
const MOST_PIECES = 400;

/** @param most of what may wait for a receiver @param limit of a piece @returns how many were given up */
export async function giveUpBeyond(
  outbox: Outbox,
  { receiver, at }: Pick<GiveUpDeliveries, 'receiver' | 'at'>,
  most = MOST_WAITING,
  limit = LIMIT,
): Promise<number> {
  let total = 0;
  for (let piece = 0; piece < MOST_PIECES; piece += 1) {
    if (!(await outbox.isBeyond(receiver, most))) break;
    const answer = 'too_many';
    total += await outbox.giveUp({ receiver, at, answer, limit, isOldestFirst: true });
  }
  return total;
}

/**
 * What is left of a receiver that is no more is no number: nobody can deliver it or switch it on.
 * @param receivers those that clients have @returns how many wait for them, up to what is counted
 */
export async function measureWaiting(
  outbox: Pick<Outbox, 'waiting' | 'switchedOff'>,
  meter: Pick<Meter, 'webhooksStanding'>,
  { now, receivers }: { readonly now: Ms; readonly receivers: readonly string[] },
): Promise<number> {
  const [waiting, off] = await Promise.all([
    outbox.waiting(MOST_COUNTED, receivers),
    outbox.switchedOff(),
  ]);
  const count = sumOf(waiting);
  const oldest = Math.min(now, ...waiting.map(({ oldestAt }) => oldestAt));
  meter.webhooksStanding({
    waiting: count,
    oldestMs: now - oldest,
    switchedOff: off.filter(({ receiver }) => receivers.includes(receiver)).length,
  });
  return count;
}
