import { DatabaseSync } from 'node:sqlite';
import { requireNoFence } from '../../sql/fence.ts';
import { clearIdentityDigest } from '../../sql/identities.ts';
import { StoreOpenError } from '../../store-fault.ts';
import { attemptsUsersTokens } from './0001-attempts-users-tokens.ts';
import { liveProvider } from './0002-live-provider.ts';
import { oversight } from './0003-oversight.ts';
import { spoiledAttempts } from './0004-spoiled-attempts.ts';
import { devicePages } from './0005-device-pages.ts';
import { auditAnchor } from './0006-audit-anchor.ts';
import { firstUserId } from './0007-first-user-id.ts';
import { retention } from './0008-retention.ts';
import { erasedPeople } from './0009-erased-people.ts';
import { scenario } from './0010-scenario.ts';
import { endedSignIns } from './0011-ended-sign-ins.ts';
import { storeMarks } from './0012-store-marks.ts';
import { keptTokens } from './0013-kept-tokens.ts';
import { providerNames } from './0014-provider-names.ts';
import { givenUpRows } from './0015-given-up-rows.ts';
import { openidRecords } from './0016-openid-records.ts';
import { auditActors } from './0017-audit-actors.ts';
import { taskRows } from './0018-task-rows.ts';
import { webhooks } from './0019-webhooks.ts';
import { dueEnds } from './0020-due-ends.ts';
import { isAddition, type Migration } from '../../sql/migration.ts';

/** In the order in which they are applied. */
export const MIGRATIONS: readonly Migration[] = [
  attemptsUsersTokens,
  liveProvider,
  oversight,
  spoiledAttempts,
  devicePages,
  auditAnchor,
  firstUserId,
  retention,
  erasedPeople,
  scenario,
  endedSignIns,
  storeMarks,
  keptTokens,
  providerNames,
  givenUpRows,
  openidRecords,
  auditActors,
  taskRows,
  webhooks,
  dueEnds,
];

/** Longer than another process needs for all migrations. */
const BUSY_TIMEOUT_MS = 30_000;

/** SQLite's name of a database without a file. */
const IN_MEMORY = ':memory:';

const HISTORY = `
CREATE TABLE IF NOT EXISTS schema_migrations (
  name TEXT PRIMARY KEY,
  position INTEGER NOT NULL UNIQUE
) STRICT`;

/**
 * Brings the schema of a file up to date, completely or not at all. The one transaction starts as a
 * writer: when several processes migrate at once, each waits for the one before it and then finds
 * nothing to do.
 * @throws StoreOpenError when a newer version has already migrated the file by more than additions,
 *   it was moved, or it is not ours
 */
export function migrate(file: string): void {
  const database = open(file);
  try {
    bringUpToDate(file, database);
  } finally {
    // Closing rolls back an uncommitted transaction.
    database.close();
  }
}

/** A new database that is only in memory, with every table. What it sorts stays in memory too. */
export function migratedInMemory(): DatabaseSync {
  const database = open(IN_MEMORY);
  bringUpToDate(IN_MEMORY, database);
  database.exec('PRAGMA foreign_keys = ON; PRAGMA temp_store = MEMORY');
  return database;
}

function bringUpToDate(file: string, database: DatabaseSync): void {
  const isNew = isEmpty(database);
  database.exec('BEGIN IMMEDIATE');
  if (!isNew) requireOurs(file, database);
  database.exec(HISTORY);
  const applied = appliedTo(database);
  refuseNewer(file, applied);
  for (const migration of MIGRATIONS) {
    if (!applied.has(migration.name)) apply(database, migration);
  }
  database.exec('COMMIT');
}

/**
 * For a command that runs beside the service: only the service may migrate.
 * @throws StoreOpenError unless the schema is exactly this version's
 */
export function requireCurrentSchema(file: string): void {
  const database = open(file);
  try {
    const applied = hasHistory(database) ? appliedTo(database) : new Set<string>();
    refuseNewer(file, applied);
    const missing = MIGRATIONS.find(({ name }) => !applied.has(name));
    if (missing === undefined) return;
    const what = `${file} is of an earlier version of this program (${missing.name} is missing)`;
    const advice = 'Start the service of this version once, which brings it up to date.';
    throw new StoreOpenError('store.older_schema', `${what}. ${advice}`);
  } finally {
    database.close();
  }
}

/** Only the draft of a new store (data-directory.ts) has no page yet. */
function isEmpty(database: DatabaseSync): boolean {
  return database.prepare('PRAGMA page_count').get()?.['page_count'] === 0;
}

/** New tables in a file of somebody else would hide that ours is lost. */
function requireOurs(file: string, database: DatabaseSync): void {
  const sql = "SELECT name FROM pragma_table_info('schema_migrations')";
  const columns = new Set(
    database
      .prepare(sql)
      .all()
      .map(({ name }) => name),
  );
  if (columns.has('name') && columns.has('position')) return;
  const what = `${file} is a database, and not one of this program`;
  throw new StoreOpenError('store.corrupt', `${what}. Move it away and restore a backup.`);
}

function hasHistory(database: DatabaseSync): boolean {
  const sql = "SELECT 1 FROM sqlite_schema WHERE name = 'schema_migrations'";
  return database.prepare(sql).get() !== undefined;
}

function open(file: string): DatabaseSync {
  const database = new DatabaseSync(file, {
    timeout: BUSY_TIMEOUT_MS,
    // Checked after each step instead: while a table is rebuilt it does not exist for a moment.
    enableForeignKeyConstraints: false,
  });
  database.function('identity_digest', { deterministic: true, varargs: true }, (...parts) =>
    clearIdentityDigest(...parts.map(String)),
  );
  return database;
}

function appliedTo(database: DatabaseSync): ReadonlySet<string> {
  const rows = database.prepare('SELECT name FROM schema_migrations').all();
  return new Set(rows.map(({ name }) => String(name)));
}

function apply(database: DatabaseSync, migration: Migration): void {
  const { name, statements } = migration;
  for (const statement of statements) database.exec(statement);
  const [orphan] = database.prepare('PRAGMA foreign_key_check').all();
  if (orphan !== undefined) throw new Error(`${name} left a row without the one it refers to`);
  const position = MIGRATIONS.indexOf(migration) + 1;
  database.prepare('INSERT INTO schema_migrations VALUES (?, ?)').run(name, position);
}

function refuseNewer(file: string, applied: ReadonlySet<string>): void {
  requireNoFence(applied, `The store in ${file}`);
  const known = new Set(MIGRATIONS.map(({ name }) => name));
  const unknown = [...applied].find((name) => !known.has(name) && !isAddition(name));
  if (unknown === undefined) return;
  const advice = 'Run that version again, or restore a backup from before it.';
  throw new StoreOpenError(
    'store.newer_schema',
    `${file} was migrated by a newer version of this program (${unknown}). ${advice}`,
  );
}
