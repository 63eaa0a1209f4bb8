import { Refusal } from '../domain/errors/refusal.ts';
import { SECOND_MS } from '../domain/time.ts';
import type { Timekeeper } from '../ports/runtime.ts';
import type { Store } from '../ports/store.ts';

/** Less is corrected by whoever keeps the machine's clock, and allowed for in a provider's tokens. */
const AHEAD_MAX_MS = 30 * SECOND_MS;
const RETRY_AFTER_SECONDS = 30;

/** Why nobody should be sent here now, or null. */
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
 * A provider would see our requests as coming from the future, and we its tokens as expired.
 * @throws Refusal
 */
export function requireSoundClock(timekeeper: Timekeeper): void {
  if (!isTooFarAhead(timekeeper)) return;
  const reason = 'the clock of this machine was set back';
  throw new Refusal('server.clock_ahead', { retryAfterSeconds: RETRY_AFTER_SECONDS, reason });
}

function isTooFarAhead({ aheadMs }: Timekeeper): boolean {
  return aheadMs > AHEAD_MAX_MS;
}
