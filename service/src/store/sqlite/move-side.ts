import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { pathToFileURL } from 'node:url';
import { valueOf } from '../sql/audit-rows.ts';
import { DROP_FENCE, fenceIn, READ_NAMES } from '../sql/fence.ts';
import { inspectContent } from '../sql/inspection.ts';
import type { MoveSide } from '../sql/move.ts';
import { columnsOf, ENDS_OF_LOG, selectAllOf, type MovedTable } from '../sql/moved-tables.ts';
import type { SqlRow } from '../sql/statement.ts';
import { DATABASE, hasDatabase, prepareDataDirectory } from './data-directory.ts';
import { migrate, MIGRATIONS } from './migrations/migrate.ts';
import { PreparedStatements, readAtOnce, textsOf } from './thread/sqlite-connection.ts';
import { faultOf } from './thread/sql-fault.ts';
import { statements } from './statements.generated.ts';

/** How long to wait for a command that writes. */
const BUSY_TIMEOUT_MS = 10_000;
const PAGE = 1000;

/** A command that opened the store before the fence would write where nobody looks any more. */
const WRITERS = 'moved_away';
const REFUSE_WRITERS = `CREATE TRIGGER ${WRITERS} BEFORE INSERT ON audit_log
BEGIN SELECT RAISE(ABORT, 'this store was moved'); END`;

const GUARDS = `SELECT name, sql FROM sqlite_schema WHERE type = 'trigger'
  AND tbl_name IN ('audit_log', ${ENDS_OF_LOG.map((name) => `'${name}'`).join(', ')})`;

/**
 * The file in a folder as a side of a move. The caller has the lock of the folder (folder-lock.ts).
 * @throws StoreOpenError
 */
export function openSqliteSide(
  directory: string,
  auditKeys: readonly Uint8Array[],
): MoveSide & Disposable {
  const { database: file } = prepareDataDirectory(directory);
  if (fenceIn(namesIn(file)) === null) migrate(file);
  const database = new DatabaseSync(file, { timeout: BUSY_TIMEOUT_MS });
  database.exec(
    'PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA fullfsync = ON; ' +
      'PRAGMA checkpoint_fullfsync = ON; PRAGMA foreign_keys = ON',
  );
  return { ...sideOn(database, file, auditKeys), [Symbol.dispose]: () => database.close() };
}

function sideOn(database: DatabaseSync, file: string, auditKeys: readonly Uint8Array[]): MoveSide {
  const ask = async (sql: string) => database.prepare(sql).all();
  const lastUserId = async () =>
    Number(database.prepare("SELECT seq FROM sqlite_sequence WHERE name = 'users'").get()?.['seq']);
  let guards: readonly SqlRow[] = [];
  return {
    place: file,
    migrations: MIGRATIONS.map(({ name }) => name),
    ask,
    begin: async () => database.exec('BEGIN IMMEDIATE'),
    commit: async () => database.exec('COMMIT'),
    settle: async () => settle(database, file),
    pages: (table) => pagesOf(database, table),
    insert: async (table, rows) => insertInto(database, table, rows),
    async guard(isOn) {
      if (!isOn) guards = await ask(GUARDS);
      for (const { name, sql } of guards) {
        database.exec(isOn ? String(sql) : `DROP TRIGGER ${String(name)}`);
      }
    },
    refuseWriters: async () => database.exec(REFUSE_WRITERS),
    lastUserId,
    // The other tables go on from their highest number.
    raiseIds: async (last) =>
      database.exec(`UPDATE sqlite_sequence SET seq = max(seq, ${last}) WHERE name = 'users'`),
    verifyAudit: () => contentOf(database, auditKeys).verifyAudit(),
  };
}

/**
 * Writes the log into the file. On a full disk the service would start without space, and whoever
 * copied the file alone would leave the rows behind. @throws Error
 */
function settle(database: DatabaseSync, file: string): void {
  const advice = 'Nothing was moved: free some space, and run the command again';
  try {
    const done = database.prepare('PRAGMA wal_checkpoint(TRUNCATE)').get();
    if (done?.['busy'] === 0) return;
  } catch (error) {
    const { message } = faultOf(error);
    throw new Error(`${file} can't be written whole: ${message}. ${advice}`, { cause: error });
  }
  throw new Error(`${file} can't be written whole: another program reads it. ${advice}`);
}

async function* pagesOf(database: DatabaseSync, table: MovedTable) {
  let page: SqlRow[] = [];
  for (const row of database.prepare(selectAllOf(table)).iterate()) {
    page.push(row);
    if (page.length < PAGE) continue;
    yield page;
    page = [];
  }
  if (page.length > 0) yield page;
}

function insertInto(database: DatabaseSync, table: MovedTable, rows: readonly SqlRow[]): void {
  const columns = columnsOf(table);
  const places = columns.map(() => '?').join(', ');
  const insert = database.prepare(
    `INSERT INTO ${table.name} (${columns.join(', ')}) VALUES (${places})`,
  );
  for (const row of rows) insert.run(...columns.map((column) => valueOf(row[column])));
}

function contentOf(database: DatabaseSync, auditKeys: readonly Uint8Array[]) {
  const prepared = new PreparedStatements(database, textsOf(statements));
  const reading = {
    read: async <Result>(read: Parameters<typeof readAtOnce<Result>>[0]) =>
      readAtOnce(read, (select) => prepared.rowsOf(select)),
    close: async () => undefined,
  };
  return inspectContent(reading, { sql: statements, auditKeys: () => auditKeys });
}

/** None in a file that is not ours, which the migrations refuse. */
function namesIn(file: string): readonly string[] {
  using database = openForReading(file);
  try {
    return database
      .prepare(READ_NAMES)
      .all()
      .map(({ name }) => String(name));
  } catch {
    return [];
  }
}

/** Beside a file that nobody uses SQLite would make its log and index files. */
function openForReading(file: string): DatabaseSync {
  const isInUse = existsSync(`${file}-wal`);
  const place = isInUse ? file : `${pathToFileURL(file).href}?immutable=1`;
  return new DatabaseSync(place, { readOnly: true, timeout: BUSY_TIMEOUT_MS });
}

/** What a backup of a moved store has of its fence: a restore ends every token of it anyway. */
export function liftFence(directory: string): void {
  const database = new DatabaseSync(join(resolve(directory), DATABASE));
  try {
    database.exec(`BEGIN IMMEDIATE; ${DROP_FENCE}; DROP TRIGGER IF EXISTS ${WRITERS}; COMMIT`);
  } finally {
    database.close();
  }
}

/** How many people are in the store of a folder; `fenced` where a move has taken them elsewhere. */
export function peopleLeftIn(directory: string): number | 'fenced' | 'unreadable' {
  if (!hasDatabase(directory)) return 0;
  const file = join(resolve(directory), DATABASE);
  try {
    if (fenceIn(namesIn(file)) !== null) return 'fenced';
    using database = openForReading(file);
    return Number(database.prepare('SELECT count(*) AS count FROM users').get()?.['count']);
  } catch {
    return 'unreadable';
  }
}
