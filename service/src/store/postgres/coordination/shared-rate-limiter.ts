import { hash } from 'node:crypto';
import {
  LATE_CALL_MS,
  RATE_WINDOW_MS,
  type RatePolicy,
  type RateStanding,
} from '../../../values/limits.ts';
import { isDue, SECOND_MS, type Ms } from '../../../values/time.ts';
import type { RateLimiter } from '../../../platform/coordination/coordination.port.ts';
import type { Clock } from '../../../platform/runtime.port.ts';
import type { SqlRow } from '../../sql/statement.ts';
import { SharedCalls } from '../commands/shared-calls.ts';
import { PurgeByUse, purgeCall, type SharedDatabase } from './shared-database.ts';

const TABLE = 'shared_rate_windows';
/** Full windows that an instance remembers. To forget one costs a statement, and nothing else. */
const MAX_FULL = 10_000;
/** By the server's clock. Longer than a window, because an instance's clock may be behind it. */
const KEEP_SECONDS = (2 * RATE_WINDOW_MS) / SECOND_MS;

const DATABASE_NOW = 'floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint';

/** Also when the time goes back, as by a failover: then no window ends later than it would have. */
const IS_OVER = `(w.ends_at <= excluded.ends_at - ${RATE_WINDOW_MS}
    OR w.ends_at > excluded.ends_at + ${LATE_CALL_MS})`;

/**
 * Counts and tells the count in one statement, so any two calls get different places. The rows are
 * locked in one order by all instances, so that they do not wait for each other in a circle. Where
 * no time is given, the database's counts.
 */
const CONSUME = `
INSERT INTO ${TABLE} AS w (name, ends_at, calls, begun_at)
SELECT name, coalesce(at, ${DATABASE_NOW}) + ${RATE_WINDOW_MS}, calls, clock_timestamp()
FROM unnest($1::text[], $2::bigint[], $3::bigint[]) AS given(name, at, calls)
ORDER BY name COLLATE "C"
ON CONFLICT (name) DO UPDATE SET
  ends_at = CASE WHEN ${IS_OVER} THEN excluded.ends_at ELSE w.ends_at END,
  calls = CASE WHEN ${IS_OVER} THEN excluded.calls ELSE w.calls + excluded.calls END,
  begun_at = CASE WHEN ${IS_OVER} THEN excluded.begun_at ELSE w.begun_at END
RETURNING name, ends_at, calls, ${DATABASE_NOW} AS at`;

const PEEK = `SELECT ends_at, calls, ${DATABASE_NOW} AS at FROM ${TABLE} WHERE name = $1`;

/** `calls` has those that were refused too: a call is allowed if its place is within the quota. */
interface Window {
  /** By the clock of this instance, and not before it has ended at the database. */
  readonly endsAt: Ms;
  /** And certainly not after it. */
  readonly openUntil: Ms;
  readonly calls: number;
}

interface Waiting {
  readonly name: string;
  readonly policy: RatePolicy;
  readonly now: Ms;
  readonly resolve: (standing: RateStanding) => void;
  readonly reject: (reason: unknown) => void;
}

/** Windows in the database, exact over all instances. */
export class SharedRateLimiter implements RateLimiter {
  readonly #database: SharedDatabase;
  readonly #kind: string;
  readonly #clock: Clock | null;
  readonly #purge: PurgeByUse;
  /** A full window stays full until it ends, so nothing has to be asked or counted until then. */
  readonly #full = new Map<string, Window>();
  readonly #counting = new SharedCalls<Waiting>((shared) => this.#count(shared));

  /**
   * @param kind a limiter of another kind counts the same policies and keys by itself
   * @param clock that of the calls, if it follows the database's: as instances differ a little, a
   *   window is then measured by the database's own. Null where the time of each call is what counts.
   */
  constructor(database: SharedDatabase, kind: string, clock: Clock | null) {
    this.#database = database;
    this.#clock = clock;
    this.#kind = kind;
    this.#purge = new PurgeByUse(database, purgeCall(TABLE, 'name', 'begun_at', KEEP_SECONDS));
  }

  consume(policy: RatePolicy, key: string, now: Ms): Promise<RateStanding> {
    const name = this.#nameOf(policy, key);
    const full = this.#fullWindow(name, policy, now);
    if (full !== null) return Promise.resolve(standingOf(policy, full.endsAt, full.calls + 1));
    return new Promise((resolve, reject) => {
      this.#counting.add({ name, policy, now, resolve, reject });
    });
  }

  async peek(policy: RatePolicy, key: string, now: Ms): Promise<RateStanding> {
    const name = this.#nameOf(policy, key);
    const found = this.#fullWindow(name, policy, now) ?? (await this.#read(name));
    const window = found !== null && isOpen(found.endsAt, now) ? found : newWindow(now);
    const next = standingOf(policy, window.endsAt, window.calls + 1);
    return { ...next, remaining: Math.max(0, policy.quota - window.calls) };
  }

  async #read(name: string): Promise<Window | null> {
    const windowIn = this.#reader();
    const [row] = (await this.#database.read('peek', PEEK, [name])).rows;
    return row === undefined ? null : windowIn(row);
  }

  async #count(shared: readonly Waiting[]): Promise<void> {
    try {
      const groups = byName(shared);
      const windowIn = this.#reader();
      const values = valuesOf(groups, this.#clock === null);
      const { rows } = await this.#database.write('consume', CONSUME, values);
      const windows = new Map(rows.map((row) => [row['name'], windowIn(row)]));
      for (const [name, group] of groups) this.#settle(name, group, windows.get(name));
      this.#purge.note(rows.length);
    } catch (error) {
      for (const { reject } of shared) reject(error);
    }
  }

  /** The calls that share a row get its last places, in their order. */
  #settle(name: string, group: readonly Waiting[], window: Window | undefined): void {
    if (window === undefined) throw new Error('a counted window was not returned');
    const { endsAt, calls } = window;
    if (group.some(({ policy }) => calls >= policy.quota)) this.#rememberFull(name, window);
    for (const [index, { policy, resolve }] of group.entries()) {
      resolve(standingOf(policy, endsAt, calls - group.length + index + 1));
    }
  }

  /**
   * How a row that is asked for now is to be read. The database has read its clock between the
   * question and the answer: of these two times the later one tells callers how long to wait, and the
   * earlier one how long this instance may go without asking.
   */
  #reader(): (row: SqlRow) => Window {
    const clock = this.#clock;
    const sentAt = clock?.now() ?? 0;
    return (row) => {
      const endsAt = Number(row['ends_at']);
      const calls = Number(row['calls']);
      if (clock === null) return { endsAt, openUntil: endsAt, calls };
      const leftMs = endsAt - Number(row['at']);
      // Clocks tell whole milliseconds, of which a part may have passed.
      const longestMs = Math.min(leftMs + 1, RATE_WINDOW_MS);
      return { endsAt: clock.now() + longestMs, openUntil: sentAt + leftMs, calls };
    };
  }

  #fullWindow(name: string, { quota }: RatePolicy, now: Ms): Window | null {
    const window = this.#full.get(name);
    if (window === undefined || window.calls < quota) return null;
    return isOpen(window.openUntil, now) ? window : null;
  }

  #rememberFull(name: string, window: Window): void {
    if (this.#full.size >= MAX_FULL) this.#full.clear();
    this.#full.set(name, window);
  }

  /** Of one length for every key, and safe for the database whatever the key contains. */
  #nameOf(policy: RatePolicy, key: string): string {
    return hash('sha256', `${this.#kind} ${policy.name} ${key}`, 'base64url');
  }
}

function byName(shared: readonly Waiting[]): ReadonlyMap<string, readonly Waiting[]> {
  return Map.groupBy(shared, ({ name }) => name);
}

function valuesOf(groups: ReadonlyMap<string, readonly Waiting[]>, isTimeGiven: boolean) {
  const entries = [...groups.entries()];
  return [
    entries.map(([name]) => name),
    entries.map(([, group]) => (isTimeGiven ? Math.max(...group.map(({ now }) => now)) : null)),
    entries.map(([, group]) => group.length),
  ];
}

function isOpen(endsAt: Ms, now: Ms): boolean {
  return !isDue(endsAt, RATE_WINDOW_MS + LATE_CALL_MS, now);
}

function newWindow(now: Ms): Window {
  const endsAt = now + RATE_WINDOW_MS;
  return { endsAt, openUntil: endsAt, calls: 0 };
}

/** @param place 1 for the first call of a window */
function standingOf(policy: RatePolicy, endsAt: Ms, place: number): RateStanding {
  return {
    policy,
    allowed: place <= policy.quota,
    remaining: Math.max(0, policy.quota - place),
    endsAt,
  };
}
