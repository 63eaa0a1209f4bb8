import type { Ms } from '../../values/time.ts';
import type { Timer } from '../../platform/runtime.port.ts';
import { valueOf } from '../sql/audit-rows.ts';
import { fenceIn } from '../sql/fence.ts';
import { inspectContent } from '../sql/inspection.ts';
import type { MoveSide } from '../sql/move.ts';
import {
  columnsOf,
  ENDS_OF_LOG,
  MOVED_TABLES,
  selectAllOf,
  type MovedTable,
} from '../sql/moved-tables.ts';
import { StoreOpenError } from '../store-fault.ts';
import { runRead, type SqlRow } from '../sql/statement.ts';
import type { DatabaseAddress } from './connection-url.ts';
import type { Call, PostgresConnection } from './connections/connection.ts';
import { Connector } from './connections/connector.ts';
import { callOf } from './commands/look-ups.ts';
import { appliedTo, MIGRATIONS, migratePostgres } from './migrations/migrate.ts';
import { Presence } from './presence/presence.ts';
import type { IdentityMemory } from './server-check.ts';
import { statements } from './statements.generated.ts';

const PAGE = 1000;
const CONNECT_MS: Ms = 3000;

/** The tables whose triggers guard the audit log. */
const GUARDED = ['audit_log', ...ENDS_OF_LOG];

/** Rows are read and written for as long as it takes, and the other side may take its time. */
const TERMS =
  // The fence follows a commit that has to be durable, whatever the server is set to.
  'SET LOCAL synchronous_commit = on; SET LOCAL statement_timeout = 0; ' +
  'SET LOCAL idle_in_transaction_session_timeout = 0; SET LOCAL lock_timeout = 0';

/** Where numbers of rows come from, besides those of users. */
const SEQUENCES = [
  ['provider_calls', 'call_id'],
  ['pushes', 'push_id'],
] as const;

export interface PostgresSideOptions {
  readonly address: DatabaseAddress;
  readonly identity: IdentityMemory;
  readonly timer: Timer;
  readonly deadlineMs: Ms;
  readonly auditKeys: readonly Uint8Array[];
  /** Is told what of the server endangers the store. */
  readonly tell: (line: string) => void;
  /** The machine, added to the name of the session. */
  readonly machine: string;
}

/**
 * Runs work with a database as a side of a move, while no other program uses it. Its schema is
 * brought up to date first.
 * @throws Error that says who uses it, or what to do
 */
export async function withPostgresSide<Result>(
  options: PostgresSideOptions,
  work: (side: MoveSide) => Promise<Result>,
): Promise<Result> {
  const { address, timer, deadlineMs, identity, auditKeys } = options;
  const plainName = address.applicationName;
  // Whoever is refused is told by what is thrown.
  const presence = new Presence({ membership: null, plainName, timer, onRefused: () => undefined });
  const connector = new Connector({
    address: { ...address, applicationName: `${plainName} ${options.machine}` },
    identity,
    timer,
    connectMs: CONNECT_MS,
    deadlineMs,
    onWarning: ({ what, remedy }) => options.tell(`${what}: ${remedy}`),
  });
  const connection = await connector.connect();
  try {
    await requireNoOthers(connection, address);
    await presence.prepare(connection);
    if (fenceIn(await appliedTo(connection)) === null) await migratePostgres(connection);
    await presence.enter(connection);
    const pool = {
      read: (call: Call) => connection.query(call),
      autocommit: (call: Call) => connection.query(call),
    };
    return await presence.alone(pool, () => work(sideOn(connection, address, auditKeys)));
  } finally {
    await connection.end().catch(() => undefined);
  }
}

/** Tables of the schema, without those of extensions. */
const TABLES = `SELECT c.relname AS name FROM pg_class c
  JOIN pg_namespace n ON n.oid = c.relnamespace AND n.nspname = current_schema()
  WHERE c.relkind IN ('r', 'p', 'f') AND NOT EXISTS (
    SELECT FROM pg_depend d
    WHERE d.classid = 'pg_class'::regclass AND d.objid = c.oid AND d.deptype = 'e')
  ORDER BY c.relname LIMIT 5`;

/** @throws StoreOpenError where there is no store, and something else */
async function requireNoOthers(
  connection: PostgresConnection,
  address: DatabaseAddress,
): Promise<void> {
  const { rows } = await connection.query(unnamed(TABLES));
  const names = rows.map(({ name }) => String(name));
  if (names.length === 0 || (await appliedTo(connection)).size > 0) return;
  throw new StoreOpenError(
    'store.in_use',
    `${placeOf(address)} has tables of another program (${names.join(', ')}). A store is moved only ` +
      'to an empty place: make a new database. Nothing was changed.',
  );
}

/** The database as it is named in a fence and to people. */
function placeOf({ user, servers, database }: DatabaseAddress): string {
  const hosts = servers.map(({ host, port }) => `${host}:${port}`).join(',');
  return `postgres://${encodeURIComponent(user)}@${hosts}/${encodeURIComponent(database)}`;
}

function sideOn(
  connection: PostgresConnection,
  address: DatabaseAddress,
  auditKeys: readonly Uint8Array[],
): MoveSide {
  const ask = async (sql: string) => (await connection.query(unnamed(sql))).rows;
  const run = async (sql: string) => void (await ask(sql));
  return {
    place: placeOf(address),
    migrations: MIGRATIONS.map(({ name }) => name),
    ask,
    begin: () => run(`BEGIN ISOLATION LEVEL REPEATABLE READ; ${TERMS}`),
    async commit() {
      const { command } = await connection.query(unnamed('COMMIT'));
      if (command !== 'COMMIT') throw new Error('the database did not commit');
    },
    // The server has made room for it already.
    settle: async () => undefined,
    pages: (table) => pagesOf(ask, table),
    insert: (table, rows) => insertInto(connection, table, rows),
    async guard(isOn) {
      const word = isOn ? 'ENABLE' : 'DISABLE';
      for (const name of GUARDED) await run(`ALTER TABLE ${name} ${word} TRIGGER USER`);
    },
    // Every session has to be gone before a move begins, and the next one meets the fence.
    refuseWriters: async () => undefined,
    lastUserId: async () => Number((await ask('SELECT last_user_id() AS last'))[0]?.['last']),
    async raiseIds(last) {
      await run(`SELECT raise_last_user_id(${last})`);
      for (const [table, column] of SEQUENCES) {
        await run(
          `SELECT setval('${table}_${column}_seq', highest) FROM
            (SELECT max(${column}) AS highest FROM ${table}) AS found WHERE highest IS NOT NULL`,
        );
      }
    },
    async verifyAudit() {
      // Without figures the server would plan for empty tables.
      await run(`ANALYZE ${MOVED_TABLES.map(({ name }) => name).join(', ')}`);
      return contentOf(connection, auditKeys).verifyAudit();
    },
  };
}

async function* pagesOf(
  ask: (sql: string) => Promise<readonly SqlRow[]>,
  table: MovedTable,
): AsyncGenerator<readonly SqlRow[]> {
  await ask(`DECLARE moved NO SCROLL CURSOR FOR ${selectAllOf(table)}`);
  for (;;) {
    const rows = await ask(`FETCH ${PAGE} FROM moved`);
    if (rows.length === 0) break;
    yield rows;
  }
  await ask('CLOSE moved');
}

/** One statement for all rows: a list for each column. */
async function insertInto(
  connection: PostgresConnection,
  table: MovedTable,
  rows: readonly SqlRow[],
): Promise<void> {
  const columns = columnsOf(table);
  const lists = Object.values(table.columns).map(
    (type, index) => `$${index + 1}::${type === 'integer' ? 'bigint' : 'text'}[]`,
  );
  const sql = `INSERT INTO ${table.name} (${columns.join(', ')})
    SELECT * FROM unnest(${lists.join(', ')})`;
  const values = columns.map((column) => rows.map((row) => valueOf(row[column])));
  await connection.query({ name: `move:${table.name}`, sql, values });
}

function contentOf(connection: PostgresConnection, auditKeys: readonly Uint8Array[]) {
  const reading = {
    read: <Result>(read: Parameters<typeof runRead<Result>>[0]) =>
      runRead(read, async (select) => (await connection.query(callOf(select))).rows),
    close: async () => undefined,
  };
  return inspectContent(reading, { sql: statements, auditKeys: () => auditKeys });
}

function unnamed(sql: string): Call {
  return { name: null, sql, values: [] };
}
