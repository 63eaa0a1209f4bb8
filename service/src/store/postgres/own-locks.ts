import type { SqlRow } from '../sql/statement.ts';

/**
 * The advisory locks of this service in its database. The first number of each is `mift` in ASCII,
 * so that another program in the same database hardly takes the same. Every version uses the same
 * numbers, because versions run side by side. docs/several-instances.md lists them.
 */
export const CLASS = 0x6d_69_66_74;

/** Of whoever brings the schema up to date. */
const MIGRATION = 1;

/** `text` is how a statement names a lock, in the brackets of the function. */
const named = (lock: number) => `(${CLASS}, ${lock})`;

/** Held by each write that touches something, and by those that touch everything. */
export const WRITES_LOCK = named(2);

/** Held by nobody: a new connection finds out with it whether the server has locks. */
export const TRIAL_LOCK = named(3);

/** Held by every session that may write, shared; alone: by a command that has to be the only one. */
export const PRESENCE = 4;

export const TAKE_MIGRATION_LOCK = `SELECT pg_advisory_xact_lock${named(MIGRATION)}`;

/** What an ordinary role may not see of the sessions of others is null. */
const HOLDERS = `SELECT pid, usename AS role, application_name AS program, host(client_addr) AS address,
  round(extract(epoch FROM clock_timestamp() - xact_start))::int AS seconds
  FROM pg_locks JOIN pg_stat_activity USING (pid)
  WHERE locktype = 'advisory' AND granted AND classid = ${CLASS} AND objid = ${MIGRATION}
    AND objsubid = 2 AND pg_locks.database =
      (SELECT oid FROM pg_database WHERE datname = current_database())
  ORDER BY pid`;

/** Who holds the lock of migrations; empty when nobody does. */
export async function describeHolders(
  ask: (sql: string) => Promise<readonly SqlRow[]>,
): Promise<string> {
  return (await ask(HOLDERS)).map(describeSession).join('; ');
}

function describeSession({ pid, role, program, address, seconds }: SqlRow): string {
  const facts = [
    `process ${String(pid)} of the role ${String(role)}`,
    ...(typeof program === 'string' && program !== '' ? [`program ${program}`] : []),
    ...(typeof address === 'string' ? [`at ${address}`] : []),
    ...(typeof seconds === 'number' ? [`for ${seconds} s`] : []),
  ];
  return facts.join(', ');
}
