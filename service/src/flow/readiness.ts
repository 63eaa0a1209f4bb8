import { Refusal } from '../domain/errors/refusal.ts';
import { SECOND_MS, type Ms } from '../domain/time.ts';
import type { Standing } from '../ports/meter.ts';
import type { Timekeeper } from '../ports/runtime.ts';
import type { Store } from '../ports/store/index.ts';

/**
 * Smaller differences are corrected by clock synchronisation, and tolerated in a provider's tokens.
 */
const AHEAD_MAX_MS = 30 * SECOND_MS;
const RETRY_AFTER_SECONDS = 30;

/** Why the service should get no requests now, or null when it is ready. */
export function unreadiness(store: Store, timekeeper: Timekeeper): string | null {
  const health = store.health();
  if (!health.ready) return health.reason;
  if (!isTooFarAhead(timekeeper)) return null;
  const seconds = Math.round(timekeeper.aheadMs / SECOND_MS);
  return (
    `the clock of this machine was set back: the service is ${seconds} s ahead of it. ` +
    'Correct the clock, or restart the service if it is right now'
  );
}

/**
 * Otherwise the provider would take our requests as sent in the future, and we its tokens as
 * expired.
 * @throws Refusal `server.clock_ahead`
 */
export function requireSoundClock(timekeeper: Timekeeper): void {
  if (!isTooFarAhead(timekeeper)) return;
  const reason = 'the clock of this machine was set back';
  throw new Refusal('server.clock_ahead', { retryAfterSeconds: RETRY_AFTER_SECONDS, reason });
}

/** The same for the numbers about the service. */
export function standingOf(store: Store, timekeeper: Timekeeper, now: Ms): Standing {
  return {
    now,
    isReady: unreadiness(store, timekeeper) === null,
    isStoreReady: store.health().ready,
    aheadMs: timekeeper.aheadMs,
  };
}

function isTooFarAhead({ aheadMs }: Timekeeper): boolean {
  return aheadMs > AHEAD_MAX_MS;
}
