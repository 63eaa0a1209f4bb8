import type { Ms } from '../../values/time.ts';
import type { Timer } from '../../platform/runtime.port.ts';
import type { SqlEngine } from '../sql/engine.ts';
import { inspectContent, schemaState, type StoreInspection } from '../sql/inspection.ts';
import { runRead, type SqlRow } from '../sql/statement.ts';
import type { DatabaseAddress } from './connection-url.ts';
import type { Call, PostgresConnection } from './connections/connection.ts';
import { Connector } from './connections/connector.ts';
import { Deadline } from './connections/deadline.ts';
import { callOf } from './commands/look-ups.ts';
import { appliedTo, MIGRATIONS } from './migrations/migrate.ts';
import { describeHolders } from './own-locks.ts';
import { LOOK, sessionsIn } from './presence/sessions.ts';
import { writersWithOther } from './presence/who-fits.ts';
import type { ServerIdentity, ServerWarning } from './server-check.ts';
import { TIME } from './coordination/postgres-coordination.ts';
import { statements } from './statements.generated.ts';

const CONNECT_MS = 3000;
/** For one statement. The check of the audit log reads it in pages. */
const DEADLINE_MS = 30_000;

export interface InspectOptions {
  readonly address: DatabaseAddress;
  readonly timer: Timer;
  readonly auditKeys: readonly Uint8Array[];
}

/** What the role of DATABASE_URL may do. */
export interface Rights {
  readonly role: string;
  readonly isSuperuser: boolean;
  /** So that a start can bring the schema up to date. */
  readonly mayCreate: boolean;
  /** Where its tables are looked for; null where it may use none of its search_path. */
  readonly schema: string | null;
  /** Names of tables and sequences that it can't read and write. */
  readonly closed: readonly string[];
}

/** What can be read of a database without changing it. */
export interface DatabaseInspection extends StoreInspection {
  readonly identity: ServerIdentity;
  readonly warnings: readonly ServerWarning[];
  /** As the server writes it, for example `15.8`. */
  readonly version: string;
  rights(): Promise<Rights>;
  /** What the server's clock says. */
  time(): Promise<Ms>;
  /** Sessions that hold the lock of migrations; empty when nobody does. */
  migrators(): Promise<string>;
  /** Instances that write with another key than that of this number (presence/); empty when none does. */
  writersWithOther(key: number): Promise<string>;
}

/** The server itself refuses every write of this connection from here on. */
const READ_ONLY = 'SET SESSION CHARACTERISTICS AS TRANSACTION READ ONLY';

const VERSION = "SELECT split_part(current_setting('server_version'), ' ', 1) AS version";

const ROLE = `SELECT current_user AS role, rolsuper AS is_superuser,
  coalesce(has_schema_privilege(current_schema(), 'create'), false) AS may_create,
  current_schema() AS schema
  FROM pg_roles WHERE rolname = current_user`;

/**
 * Nobody changes rows of the audit log, and only a migration writes into schema_migrations. Who may
 * insert into a table with an identity column needs no right of its own on the column's sequence.
 */
const CLOSED = `SELECT relname AS name FROM pg_class
  WHERE relnamespace = current_schema()::regnamespace AND (
    relkind = 'r' AND NOT (has_table_privilege(oid, 'select') AND (relname = 'schema_migrations'
      OR has_table_privilege(oid, 'insert') AND has_table_privilege(oid, 'delete')
      AND (relname = 'audit_log' OR has_table_privilege(oid, 'update'))))
    OR relkind = 'S' AND NOT has_sequence_privilege(oid, 'usage') AND NOT EXISTS (
      SELECT FROM pg_depend WHERE objid = pg_class.oid AND deptype = 'i'))
  ORDER BY relname`;

/**
 * Connects to the database for reading, while services use it or not. Which server was used before
 * is neither asked nor remembered.
 * @throws Error that says for each server why it can't be used; it quotes no password
 */
export async function inspectDatabase(options: InspectOptions): Promise<DatabaseInspection> {
  const { address, timer, auditKeys } = options;
  const seen: { identity: ServerIdentity | null; warnings: ServerWarning[] } = {
    identity: null,
    warnings: [],
  };
  const connector = new Connector({
    address,
    timer,
    connectMs: CONNECT_MS,
    deadlineMs: DEADLINE_MS,
    identity: {
      known: () => null,
      remember: async (identity) => void (seen.identity = identity),
    },
    onWarning: (warning) => seen.warnings.push(warning),
  });
  const connection = await connector.connect();
  const { identity, warnings } = seen;
  if (identity === null) throw new Error('the server does not say which one it is');
  const rowsOf = asker(connection, timer);
  await rowsOf(unnamed(READ_ONLY));
  const [server] = await rowsOf(unnamed(VERSION));
  return {
    ...inspectContent(readingOf(connection, rowsOf), {
      sql: statements,
      auditKeys: () => auditKeys,
    }),
    identity,
    warnings,
    version: String(server?.['version']),
    schema: async () => {
      const calls = { query: async (call: Call) => ({ rows: await rowsOf(call) }) };
      return schemaState(await appliedTo(calls), MIGRATIONS);
    },
    rights: () => rightsOf(rowsOf),
    time: async () => Number((await rowsOf(unnamed(TIME)))[0]?.['at']),
    migrators: () => describeHolders((sql) => rowsOf(unnamed(sql))),
    writersWithOther: async (key) => writersWithOther(key, sessionsIn(await rowsOf(LOOK))),
  };
}

type Ask = (call: Call) => Promise<readonly SqlRow[]>;

/** A server that has gone silent ends the connection, and nobody waits for ever. */
function asker(connection: PostgresConnection, timer: Timer): Ask {
  return async (call) => {
    const deadline = new Deadline(timer, DEADLINE_MS);
    deadline.whenOver(() => connection.destroy(deadline.reason));
    try {
      return (await connection.query(call)).rows;
    } finally {
      deadline.clear();
    }
  };
}

function readingOf(connection: PostgresConnection, rowsOf: Ask): Pick<SqlEngine, 'read' | 'close'> {
  return {
    read: (read) => runRead(read, (select) => rowsOf(callOf(select))),
    close: () => connection.end(),
  };
}

async function rightsOf(rowsOf: Ask): Promise<Rights> {
  const [role] = await rowsOf(unnamed(ROLE));
  const closed = await rowsOf(unnamed(CLOSED));
  const schema = role?.['schema'];
  return {
    role: String(role?.['role']),
    isSuperuser: role?.['is_superuser'] === true,
    mayCreate: role?.['may_create'] === true,
    schema: typeof schema === 'string' ? schema : null,
    closed: closed.map(({ name }) => String(name)),
  };
}

function unnamed(sql: string): Call {
  return { name: null, sql, values: [] };
}
