import type { Ms } from '../../values/time.ts';
import type { SqlRow } from '../sql/statement.ts';
import { StoreOpenError } from '../store-fault.ts';
import type { Call, PostgresConnection } from './connections/connection.ts';
import { TRIAL_LOCK } from './own-locks.ts';
import { requireOwnProcess } from './own-process.ts';

/** Which server it is. Copies of one server share the system identifier. */
export interface ServerIdentity {
  /** Decimal digits; null when the role may not read it. */
  readonly systemIdentifier: string | null;
  /** Grows by one with each promotion of a standby. */
  readonly timeline: number;
}

/** Where the highest identity that was ever seen is kept, also over a restart. */
export interface IdentityMemory {
  known(): ServerIdentity | null;
  /** A new connection is used only after this has resolved. */
  remember(identity: ServerIdentity): Promise<void>;
}

/** The server may not be used, whatever it answers. The message says why and what to do. */
class WrongServer extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'WrongServer';
  }
}

/** What puts acknowledged writes at risk on a server, and what to do about it. Both without a full stop. */
export interface ServerWarning {
  readonly what: string;
  readonly remedy: string;
}

/**
 * How long a transaction may wait for its next statement. An instance that is frozen holds its locks
 * for this long, and all others wait.
 */
const IDLE_MS = 2000;

const IF_RIGHT =
  'If it is the right server, stop the instance, delete postgres-server.json in DATA_DIR, and start it';

/** What a new connection has told. */
export interface CheckedServer {
  readonly identity: ServerIdentity;
  readonly warnings: readonly ServerWarning[];
}

/** How the server is reached, perhaps through a pooler. */
export interface WayToServer {
  /** Whether no connection has proved yet that it keeps its process. */
  readonly isNew: boolean;
  /** A second connection on the same way. */
  readonly openOther: () => Promise<PostgresConnection>;
}

/**
 * The timeline is read from the name of the file that is written now: what pg_control_checkpoint()
 * says changes only with the first checkpoint after a promotion. `to_regprocedure` gives null where
 * the function does not exist.
 */
const FACTS = `SELECT
  pg_is_in_recovery() AS is_standby,
  current_setting('transaction_read_only') AS read_only,
  current_setting('server_encoding') AS encoding,
  current_setting('session_replication_role') AS replication_role,
  current_setting('fsync') AS fsync,
  current_setting('full_page_writes') AS full_page_writes,
  current_setting('synchronous_commit') AS synchronous_commit,
  current_setting('synchronous_standby_names') AS synchronous_standbys,
  (SELECT count(*) FROM pg_stat_replication) AS standbys,
  CASE WHEN pg_is_in_recovery() THEN NULL ELSE pg_walfile_name(pg_current_wal_lsn()) END AS wal_file,
  coalesce(has_function_privilege(to_regprocedure('pg_control_system()'), 'execute'), false)
    AS may_read_system,
  pg_backend_pid() AS backend`;

const SYSTEM = 'SELECT system_identifier::text AS system_identifier FROM pg_control_system()';

/**
 * Limits that the server keeps by itself, should this process disappear: statements end shortly
 * before our own deadline, and an open transaction does not hold its locks for ever.
 */
const LIMITS = `SELECT set_config('statement_timeout', $1, false),
  set_config('idle_in_transaction_session_timeout', $2, false)`;

/**
 * What a role, a database or a server may have set otherwise. Without warnings, a commit whose wait
 * for a standby was cancelled looks like a success; without nulls in arrays, null becomes a text.
 */
const MEANINGS = `SELECT set_config('client_min_messages', 'warning', false),
  set_config('array_nulls', 'on', false)`;

/**
 * Statements find few rows, by keys. Their plans are kept, also those from when the tables were
 * empty: without these settings such a plan reads whole tables, and goes on to do so when the
 * tables are large. JIT would take the price of a switched-off step for real work.
 */
const PLANS = `SELECT set_config(name, 'off', false)
  FROM unnest(ARRAY['enable_seqscan', 'enable_hashjoin', 'enable_mergejoin', 'jit']) AS name`;

/**
 * Everything that two instances must not do at once is guarded by advisory locks. An engine that
 * only speaks PostgreSQL's protocol may have the functions and lock nothing.
 */
const LOCK_SOMETHING = [
  'BEGIN',
  `SELECT pg_advisory_xact_lock_shared${TRIAL_LOCK}`,
  `SELECT count(*) AS locks FROM pg_locks
   WHERE locktype = 'advisory' AND granted AND pid = pg_backend_pid()`,
  'COMMIT',
];

/**
 * So the server notices within half a minute that the machine of a client is gone, and gives back the
 * locks of its sessions. By default it takes hours. Not on every operating system, either.
 */
const WATCH_MACHINE = `SELECT set_config('tcp_keepalives_idle', '15', false),
  set_config('tcp_keepalives_interval', '5', false), set_config('tcp_keepalives_count', '3', false)`;

/** Not on every operating system: then the server notices a lost client a little later. */
const WATCH_CLIENT = "SELECT set_config('client_connection_check_interval', $1, false)";

/**
 * Asks a new connection who it leads to, and sets its limits and how it plans statements.
 * @throws StoreOpenError, WrongServer, ServerError, ConnectionLost
 */
export async function checkServer(
  connection: PostgresConnection,
  deadlineMs: Ms,
  way: WayToServer,
): Promise<CheckedServer> {
  const [facts] = (await connection.query(call(FACTS))).rows;
  if (facts === undefined) throw new WrongServer('the server says nothing about itself');
  if (way.isNew || isPooled(facts, connection)) await requireOwnProcess(connection, way.openOther);
  requireWritable(facts);
  requireUtf8(facts);
  await requireLocks(connection);
  const statementMs = Math.ceil(deadlineMs * 0.9);
  const limits = call(LIMITS, [`${statementMs}ms`, `${IDLE_MS}ms`]);
  await connection.send([limits, call(MEANINGS), call(PLANS)]).answers;
  await connection.query(call(WATCH_CLIENT, [`${deadlineMs}ms`])).catch(() => undefined);
  await connection.query(call(WATCH_MACHINE)).catch(() => undefined);
  const mayRead = facts['may_read_system'] === true;
  const systemIdentifier = mayRead ? await systemIdentifierOf(connection) : null;
  const identity = { systemIdentifier, timeline: timelineOf(facts) };
  return { identity, warnings: warningsOf(facts, mayRead) };
}

/**
 * A primary that was replaced does not know it, so only what was seen before can tell.
 * @throws WrongServer
 */
export function requireKnown(identity: ServerIdentity, known: ServerIdentity | null): void {
  if (known === null) return;
  const { systemIdentifier, timeline } = identity;
  const isOther =
    systemIdentifier !== null &&
    known.systemIdentifier !== null &&
    systemIdentifier !== known.systemIdentifier;
  if (isOther) {
    throw new WrongServer(
      `this is another database system (${systemIdentifier}) than before ` +
        `(${known.systemIdentifier}): check DATABASE_URL. ${IF_RIGHT}`,
    );
  }
  if (timeline >= known.timeline) return;
  throw new WrongServer(
    `the server is on timeline ${timeline}, but timeline ${known.timeline} was seen before: ` +
      `it is a former primary, or a restored one. ${IF_RIGHT}`,
  );
}

/** The later of the two, with a system identifier that any of them has. */
export function latestIdentity(
  identity: ServerIdentity,
  known: ServerIdentity | null,
): ServerIdentity {
  const systemIdentifier = identity.systemIdentifier ?? known?.systemIdentifier ?? null;
  return { systemIdentifier, timeline: Math.max(identity.timeline, known?.timeline ?? 0) };
}

function requireWritable(facts: SqlRow): void {
  if (facts['is_standby'] === true) throw new WrongServer('the server is a standby');
  if (facts['read_only'] !== 'off') throw new WrongServer('the server accepts no writes');
  if (facts['replication_role'] === 'replica') {
    throw new WrongServer(
      'session_replication_role is replica, so that no trigger guards the audit log: reset it for ' +
        'the server, the database and the role',
    );
  }
}

/**
 * No other answer of the server can mend this, so it is not tried again.
 * @throws StoreOpenError
 */
function requireUtf8(facts: SqlRow): void {
  const encoding = String(facts['encoding']);
  if (encoding === 'UTF8') return;
  const advice = "Create another one: CREATE DATABASE name TEMPLATE template0 ENCODING 'UTF8'.";
  throw new StoreOpenError(
    'store.unsafe_setting',
    `The database has the encoding ${encoding}, which can't hold every name. ${advice}`,
  );
}

async function requireLocks(connection: PostgresConnection): Promise<void> {
  const answers = await connection.send(LOCK_SOMETHING.map((sql) => call(sql))).answers;
  if (Number(answers[2]?.rows[0]?.['locks']) > 0) return;
  throw new WrongServer('the server has no advisory locks: use PostgreSQL itself');
}

/** Most poolers tell of a process of their own when they are logged in to. */
function isPooled(facts: SqlRow, { backend }: PostgresConnection): boolean {
  return backend !== facts['backend'];
}

/** The name of a file of the write-ahead log begins with its timeline, in eight hexadecimal digits. */
function timelineOf(facts: SqlRow): number {
  const timeline = Number.parseInt(String(facts['wal_file']).slice(0, 8), 16);
  if (Number.isSafeInteger(timeline)) return timeline;
  throw new WrongServer('the server does not tell its timeline');
}

async function systemIdentifierOf(connection: PostgresConnection): Promise<string | null> {
  const [row] = (await connection.query(call(SYSTEM))).rows;
  const identifier = row?.['system_identifier'];
  return typeof identifier === 'string' ? identifier : null;
}

function warningsOf(facts: SqlRow, mayRead: boolean): ServerWarning[] {
  const warnings: ServerWarning[] = [];
  const commit = String(facts['synchronous_commit']);
  if (facts['fsync'] === 'off' || facts['full_page_writes'] === 'off') {
    warnings.push({
      what: 'fsync or full_page_writes is off: a power cut can destroy the database',
      remedy: 'set both to on in the configuration of the server',
    });
  }
  if (commit === 'off') {
    warnings.push({
      what: 'synchronous_commit is off: a crash of the server loses acknowledged writes',
      remedy: 'set it to on for the server, and reset it for the role and the database',
    });
  }
  const isAsynchronous = facts['synchronous_standbys'] === '' || commit === 'local';
  if (Number(facts['standbys']) > 0 && isAsynchronous) {
    warnings.push({
      what: 'no standby is synchronous: a failover can lose acknowledged writes',
      remedy: 'name a standby in synchronous_standby_names, and leave synchronous_commit on',
    });
  }
  if (!mayRead) {
    warnings.push({
      what:
        'the role may not execute pg_control_system(): another server on the same timeline is ' +
        'not noticed',
      remedy: 'GRANT EXECUTE ON FUNCTION pg_control_system() to the role',
    });
  }
  return warnings;
}

function call(sql: string, values: readonly string[] = []): Call {
  return { name: null, sql, values };
}
