import { Refusal } from '../errors/refusal.ts';
import { SECOND_MS } from '../values/time.ts';
import type { Standing } from './metrics/meter.port.ts';
import type { Clock, Drain, Timekeeper } from '../platform/runtime.port.ts';
import type { Store, StoreHealth } from '../store/ports/store.port.ts';

/**
 * Smaller differences are corrected by clock synchronisation, and tolerated in a provider's tokens.
 */
const AHEAD_MAX_MS = 30 * SECOND_MS;
const RETRY_AFTER_SECONDS = 30;

/** Something that keeps the service from doing its work. */
export interface Unready {
  readonly check: 'clock' | 'drain' | 'store' | 'store.space' | 'store.stalled' | 'store.away';
  /** Fixed words and numbers of our own: everybody can read it at `/readyz`. */
  readonly reason: string;
  /** What the operator does about it. */
  readonly remedy: string;
  /** What the database says; for the log only. */
  readonly fault?: string;
}

/** Why the service should get no requests now; empty when it is ready. */
export function unreadiness(store: Store, timekeeper: Timekeeper): readonly Unready[] {
  return [...unreadyStore(store.health()), ...unreadyClock(timekeeper)];
}

/** The same, with an empty list only if the service is not being stopped either. */
export function reasonsToStayAway(
  store: Store,
  timekeeper: Timekeeper,
  drain: Drain,
): readonly Unready[] {
  return [...(drain.isOn ? [DRAINING] : []), ...unreadiness(store, timekeeper)];
}

const DRAINING: Unready = {
  check: 'drain',
  reason: 'the service is being stopped',
  remedy: 'Send requests to another instance. This one answers what still comes, then it ends.',
};

/** The same of the store alone. */
export function unreadyStore(health: StoreHealth): readonly Unready[] {
  if (health.ready) return [];
  if (health.isFull === true) {
    const reason = 'there is no space to write';
    const remedy =
      'Free space on the disk of DATA_DIR or, with DATABASE_URL, of the database server. ' +
      'Reads go on, and writes do within seconds of it.';
    return [{ check: 'store.space', reason, remedy, fault: health.reason }];
  }
  if (health.isStalled === true) {
    const reason = 'writes to the database do not end';
    const remedy =
      'Look for who holds a lock (in PostgreSQL: pg_locks, pg_stat_activity; another program with ' +
      'the file of DATA_DIR), a synchronous standby that is away or far behind, or a disk that ' +
      'hangs. Reads go on, and the service is ready by itself when writes end again.';
    return [{ check: 'store.stalled', reason, remedy, fault: health.reason }];
  }
  if (health.isAway === true) {
    const reason = 'the database can not be used now';
    const remedy = REMEDIES_AWAY[health.password ?? 'other'];
    return [{ check: 'store.away', reason, remedy, fault: health.reason }];
  }
  const reason = 'the store can not be used';
  const remedy = 'See the log of the service for the fault, then restart the service.';
  return [{ check: 'store', reason, remedy, fault: health.reason }];
}

const REMEDIES_AWAY = {
  in_file:
    'The database server refuses the password. Write DATABASE_URL with the right one into ' +
    'DATABASE_URL_FILE: the service reads that file again by itself.',
  unusable_file:
    'The database server refuses the password, and the file of DATABASE_URL_FILE can not be used: ' +
    'the user of the service may not read it, or it names another host, user or database than at ' +
    'the start, of which only the password may change without a restart. The log of the service ' +
    'says which. The service reads that file again by itself.',
  credential:
    'The database server refuses the password. Write DATABASE_URL with the right one into ' +
    '/etc/miftah/secrets/database-url, and restart the service: systemd gives it the secrets at a ' +
    'start alone, so a reload finds the one of before.',
  fixed:
    'The database server refuses the password. Restart the service with the right DATABASE_URL, ' +
    'or give the server the password of before.',
  other:
    'Look at the database server of DATABASE_URL, and at the fault in the log of the service. ' +
    'The service goes on by itself when the right server accepts it with the settings that it has; ' +
    'other settings need a restart.',
} as const;

function unreadyClock(timekeeper: Timekeeper): Unready[] {
  if (!isTooFarAhead(timekeeper)) return [];
  const seconds = Math.round(timekeeper.aheadMs / SECOND_MS);
  const whose = timekeeper.machineAheadMs === null ? 'this machine' : 'the database server';
  return [
    {
      check: 'clock',
      reason: `the clock of ${whose} was set back: the service is ${seconds} s ahead of it`,
      remedy: 'Correct the clock, or restart the service if it is right now.',
    },
  ];
}

/** Something that should be put right, and keeps the service from nothing. */
export interface Warning {
  readonly check: 'clock.machine';
  readonly reason: string;
  readonly remedy: string;
}

export function warningsOf({ machineAheadMs }: Timekeeper): readonly Warning[] {
  if (machineAheadMs === null || Math.abs(machineAheadMs) <= AHEAD_MAX_MS) return [];
  const seconds = Math.round(Math.abs(machineAheadMs) / SECOND_MS);
  const where = machineAheadMs > 0 ? 'ahead of' : 'behind';
  return [
    {
      check: 'clock.machine',
      reason: `the clock of this machine is ${seconds} s ${where} that of the database server`,
      remedy: 'Correct the wrong one of the two; have both synchronised (NTP).',
    },
  ];
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
export function standingOf(
  store: Store,
  { timekeeper, drain, clock }: { timekeeper: Timekeeper; drain: Drain; clock: Clock },
): Standing {
  return {
    now: clock.now(),
    isReady: reasonsToStayAway(store, timekeeper, drain).length === 0,
    isStoreReady: store.health().ready,
    aheadMs: timekeeper.aheadMs,
  };
}

function isTooFarAhead({ aheadMs }: Timekeeper): boolean {
  return aheadMs > AHEAD_MAX_MS;
}
