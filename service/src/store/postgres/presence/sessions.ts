import type { SqlRow } from '../../sql/statement.ts';
import type { Call } from '../connections/connection.ts';
import { CLASS, PRESENCE } from '../own-locks.ts';

/**
 * What an instance shows the others of itself. Its sessions hold a lock for each number, so that it
 * is seen for exactly as long as one of them lives.
 */
export interface Membership {
  /** Numbers of its keys, of 31 bits, which reveal nothing of them. */
  readonly keys: readonly number[];
  /** Of those that it writes with: two while it changes from one to the other. */
  readonly writes: readonly number[];
  /**
   * A number of its own if it has to be the only instance, because with `STRICT=yes` its provider is
   * in its own process; else null.
   */
  readonly strict: number | null;
}

/** The first numbers of the locks, counted from that of the service's other locks. */
const CURRENT_KEY = 1;
const KNOWN_KEY = 2;
const STRICT = 3;

/** Takes, shared, what every session holds that may write, and what shows its instance. */
export function takeCall(membership: Membership | null): Call {
  const { writes = [], keys = [], strict = null } = membership ?? {};
  const wanted = [
    [0, PRESENCE],
    ...writes.map((key) => [CURRENT_KEY, key]),
    ...keys.map((key) => [KNOWN_KEY, key]),
    ...(strict === null ? [] : [[STRICT, strict]]),
  ];
  const sql = `SELECT bool_and(pg_try_advisory_lock_shared(${CLASS} + kind, number)) AS taken
    FROM unnest($1::int[], $2::int[]) AS wanted(kind, number)`;
  const values = [0, 1].map((place) => wanted.map((pair) => pair[place] ?? 0));
  return { name: null, sql, values };
}

/** Fails while any other session holds its part of it. */
export const TAKE_ALONE: Call = {
  name: null,
  sql: `SELECT pg_try_advisory_lock(${CLASS}, ${PRESENCE}) AS taken`,
  values: [],
};

export function isTaken(rows: readonly SqlRow[]): boolean {
  return rows[0]?.['taken'] === true;
}

/**
 * Locks are seen by every role. Of the sessions of another role an ordinary one sees the process, the
 * role and the name of the program. Workers of the server have no role.
 */
export const LOOK: Call = {
  name: null,
  sql: `SELECT pid, usename AS role, application_name AS program, host(client_addr) AS address,
    (SELECT string_agg(concat_ws(' ', classid::bigint - ${CLASS}, objid::bigint, mode), ',')
      FROM pg_locks WHERE pg_locks.pid = session.pid AND locktype = 'advisory' AND granted
      AND objsubid = 2 AND database = session.datid
      AND classid::bigint BETWEEN ${CLASS} AND ${CLASS + STRICT}) AS locks
    FROM pg_stat_activity AS session
    WHERE datname = current_database() AND pid <> pg_backend_pid() AND usename IS NOT NULL
    ORDER BY pid`,
  values: [],
};

/** Another session with this database. */
export interface OtherSession {
  readonly pid: number;
  readonly role: string;
  /** The name that it has given itself; empty if it has none. */
  readonly program: string;
  readonly address: string | null;
  /** Whether it says by a lock that it may write. */
  readonly isPresent: boolean;
  /** What its instance shows; null of a command, and of any other program. */
  readonly member: Membership | null;
}

export function sessionsIn(rows: readonly SqlRow[]): readonly OtherSession[] {
  return rows.map((row) => {
    const { pid, role, program, address, locks } = row;
    const held = typeof locks === 'string' ? locks.split(',').map((lock) => lock.split(' ')) : [];
    const numbersOf = (kind: number) =>
      held.filter(([found]) => Number(found) === kind).map(([, number]) => Number(number));
    const [writes, keys] = [numbersOf(CURRENT_KEY), numbersOf(KNOWN_KEY)];
    const strict = numbersOf(STRICT)[0] ?? null;
    return {
      pid: Number(pid),
      role: String(role),
      program: typeof program === 'string' ? program : '',
      address: typeof address === 'string' ? address : null,
      isPresent: numbersOf(0).includes(PRESENCE),
      member: writes.length === 0 ? null : { writes, keys, strict },
    };
  });
}
