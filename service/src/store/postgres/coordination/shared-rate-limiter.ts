import { hash } from 'node:crypto';
import { RATE_WINDOW_MS, type RatePolicy } from '../../../values/limits.ts';
import { SECOND_MS, secondsUntil, type Ms } from '../../../values/time.ts';
import type {
  RateLimiter,
  RateStanding,
} from '../../../platform/coordination/coordination.port.ts';
import type { SqlRow } from '../../sql/statement.ts';
import { SharedCalls } from '../shared-calls.ts';
import { PurgeByUse, purgeCall, type SharedDatabase } from './shared-database.ts';

const TABLE = 'shared_rate_windows';
/** Full windows that an instance remembers. To forget one costs a statement, and nothing else. */
const MAX_FULL = 10_000;
/** By the server's clock. Longer than a window, because an instance's clock may be behind it. */
const KEEP_SECONDS = (2 * RATE_WINDOW_MS) / SECOND_MS;

/**
 * Counts and tells the count in one statement, so any two calls get different places. The rows are
 * locked in one order by all instances, so that they do not wait for each other in a circle.
 */
const CONSUME = `
INSERT INTO ${TABLE} AS w (name, ends_at, calls, begun_at)
SELECT name, at + ${RATE_WINDOW_MS}, calls, clock_timestamp()
FROM unnest($1::text[], $2::bigint[], $3::bigint[]) AS given(name, at, calls)
ORDER BY name COLLATE "C"
ON CONFLICT (name) DO UPDATE SET
  ends_at = CASE WHEN w.ends_at <= excluded.ends_at - ${RATE_WINDOW_MS}
    THEN excluded.ends_at ELSE w.ends_at END,
  calls = CASE WHEN w.ends_at <= excluded.ends_at - ${RATE_WINDOW_MS}
    THEN excluded.calls ELSE w.calls + excluded.calls END,
  begun_at = CASE WHEN w.ends_at <= excluded.ends_at - ${RATE_WINDOW_MS}
    THEN excluded.begun_at ELSE w.begun_at END
RETURNING name, ends_at, calls`;

const PEEK = `SELECT ends_at, calls FROM ${TABLE} WHERE name = $1`;

/** `calls` has those that were refused too: a call is allowed if its place is within the quota. */
interface Window {
  readonly endsAt: Ms;
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
  readonly #purge: PurgeByUse;
  /** A full window stays full until it ends, so nothing has to be asked or counted until then. */
  readonly #full = new Map<string, Window>();
  readonly #counting = new SharedCalls<Waiting>((shared) => this.#count(shared));

  /** @param kind a limiter of another kind counts the same policies and keys by itself */
  constructor(database: SharedDatabase, kind: string) {
    this.#database = database;
    this.#kind = kind;
    this.#purge = new PurgeByUse(database, purgeCall(TABLE, 'name', 'begun_at', KEEP_SECONDS));
  }

  consume(policy: RatePolicy, key: string, now: Ms): Promise<RateStanding> {
    const name = this.#nameOf(policy, key);
    const full = this.#fullWindow(name, policy, now);
    if (full !== null) return Promise.resolve(standingOf(policy, full.endsAt, full.calls + 1, now));
    return new Promise((resolve, reject) => {
      this.#counting.add({ name, policy, now, resolve, reject });
    });
  }

  async peek(policy: RatePolicy, key: string, now: Ms): Promise<RateStanding> {
    const name = this.#nameOf(policy, key);
    const known = this.#fullWindow(name, policy, now);
    const [row] = known === null ? (await this.#database.read('peek', PEEK, [name])).rows : [];
    const found = row === undefined ? known : windowIn(row);
    const window = found !== null && now < found.endsAt ? found : newWindow(now);
    const next = standingOf(policy, window.endsAt, window.calls + 1, now);
    return { ...next, remaining: Math.max(0, policy.quota - window.calls) };
  }

  async #count(shared: readonly Waiting[]): Promise<void> {
    try {
      const groups = byName(shared);
      const { rows } = await this.#database.write('consume', CONSUME, valuesOf(groups));
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
    for (const [index, { policy, now, resolve }] of group.entries()) {
      resolve(standingOf(policy, endsAt, calls - group.length + index + 1, now));
    }
  }

  #fullWindow(name: string, { quota }: RatePolicy, now: Ms): Window | null {
    const window = this.#full.get(name);
    return window !== undefined && now < window.endsAt && window.calls >= quota ? window : null;
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

function valuesOf(groups: ReadonlyMap<string, readonly Waiting[]>) {
  const entries = [...groups.entries()];
  return [
    entries.map(([name]) => name),
    entries.map(([, group]) => Math.max(...group.map(({ now }) => now))),
    entries.map(([, group]) => group.length),
  ];
}

function newWindow(now: Ms): Window {
  return { endsAt: now + RATE_WINDOW_MS, calls: 0 };
}

function windowIn(row: SqlRow): Window {
  return { endsAt: Number(row['ends_at']), calls: Number(row['calls']) };
}

/** @param place 1 for the first call of a window */
function standingOf(policy: RatePolicy, endsAt: Ms, place: number, now: Ms): RateStanding {
  return {
    policy,
    allowed: place <= policy.quota,
    remaining: Math.max(0, policy.quota - place),
    resetSeconds: Math.max(1, secondsUntil(endsAt, now)),
  };
}
