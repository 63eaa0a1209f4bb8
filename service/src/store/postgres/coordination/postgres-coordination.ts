import { SECOND_MS, type Ms } from '../../../values/time.ts';
import type {
  AttemptNotifier,
  Coordination,
  EarlyState,
  OwnCoordination,
} from '../../../platform/coordination/coordination.port.ts';
import type { Clock, Random, Timer } from '../../../platform/runtime.port.ts';
import { AttemptLeases } from './attempt-leases.ts';
import { LimiterWithFallback } from './limiter-with-fallback.ts';
import { PostgresNotes } from './postgres-notes.ts';
import { SharedDatabase, type SharedPool } from './shared-database.ts';
import { SharedRateLimiter } from './shared-rate-limiter.ts';
import { SharedStatusPolls } from './shared-status-polls.ts';

export interface PostgresCoordinationOptions {
  readonly pool: SharedPool;
  /** What this instance keeps in memory: its order of work, and limits while the database is away. */
  readonly own: OwnCoordination;
  /** The service's, if it follows that of the database; null for one that tests move. */
  readonly clock?: Clock | null;
  readonly notifier: AttemptNotifier;
  readonly random: Random;
  readonly timer: Timer;
  /** A number from 0 to 1, each time another one. */
  readonly jitter: () => number;
  readonly onWarning: (text: string) => void;
  /** How long a request waits until its limit is counted by this instance alone. */
  readonly limitMs?: Ms;
  /** After an instance has died, its attempts are locked for this long. */
  readonly leaseMs?: Ms;
  /** How long work waits for another instance's work on the same attempt. */
  readonly waitMs?: Ms;
}

const INSTANCE_BYTES = 12;
const LIMIT_MS = 300;
/**
 * Longer than any work: it makes at most nine calls to the provider and to the store, one after the
 * other, and each of them ends within 5 seconds.
 */
const LEASE_MS = 45 * SECOND_MS;
/** A request is not held for as long as a lease. Its client may send it again. */
const WAIT_MS = 10 * SECOND_MS;

/** In milliseconds since 1970. */
export const TIME = 'SELECT floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint AS at';

/** Needs the tables of this version, and no admitted store. */
export function earlyState(database: SharedDatabase): EarlyState {
  return {
    readTime: async () => Number((await database.read('time', TIME, [])).rows[0]?.['at']),
  };
}

/** A name that no other instance has. */
export function instanceName(random: Random): string {
  return Buffer.from(random.bytes(INSTANCE_BYTES)).toString('base64url');
}

/** For any number of instances with one database (decision 0084). */
export function createPostgresCoordination(options: PostgresCoordinationOptions): Coordination {
  const { own, clock = null, limitMs = LIMIT_MS, leaseMs = LEASE_MS, waitMs = WAIT_MS } = options;
  const database = new SharedDatabase(options.pool);
  return {
    requestLimits: new LimiterWithFallback({
      ...options,
      shared: new SharedRateLimiter(database, 'requests', clock),
      own: own.requestLimits,
      deadlineMs: limitMs,
    }),
    unknownIds: new SharedRateLimiter(database, 'unknown-ids', clock),
    attemptLock: new AttemptLeases({
      ...options,
      database,
      own: own.attemptLock,
      instance: instanceName(options.random),
      leaseMs,
      waitMs,
    }),
    statusPolls: new SharedStatusPolls(database),
    notes: new PostgresNotes(database),
    notifier: options.notifier,
    ...earlyState(database),
  };
}
