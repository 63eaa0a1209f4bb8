import { requireNoFence } from '../../sql/fence.ts';
import { isAddition, type Migration } from '../../sql/migration.ts';
import { SECOND_MS, type Ms } from '../../../values/time.ts';
import { StoreOpenError } from '../../store-fault.ts';
import { faultOf, ServerError } from '../faults.ts';
import { describeHolders, TAKE_MIGRATION_LOCK } from '../own-locks.ts';
import { attemptsUsersTokens } from './0001-attempts-users-tokens.ts';
import { provider } from './0002-provider.ts';
import { auditLog } from './0003-audit-log.ts';
import { sharedState } from './0004-shared-state.ts';
import { retention } from './0005-retention.ts';
import { sharedNotes } from './0006-shared-notes.ts';
import { erasedPeople } from './0007-erased-people.ts';
import { scenario } from './0008-scenario.ts';
import { endedSignIns } from './0009-ended-sign-ins.ts';
import { userIds } from './0010-user-ids.ts';
import { storeMarks } from './0011-store-marks.ts';
import { storeEpoch } from './0012-store-epoch.ts';
import { keptTokens } from './0013-kept-tokens.ts';
import { providerNames } from './0014-provider-names.ts';
import { unknownUserIds } from './0015-unknown-user-ids.ts';
import { givenUpRows } from './0016-given-up-rows.ts';
import { openidRecords } from './0017-openid-records.ts';
import { auditActors } from './0018-audit-actors.ts';
import { taskRows } from './0019-task-rows.ts';
import { webhooks } from './0020-webhooks.ts';
import { dueEnds } from './0021-due-ends.ts';

/** In the order in which they are applied. */
export const MIGRATIONS: readonly Migration[] = [
  attemptsUsersTokens,
  provider,
  auditLog,
  sharedState,
  retention,
  sharedNotes,
  erasedPeople,
  scenario,
  endedSignIns,
  userIds,
  storeMarks,
  storeEpoch,
  keptTokens,
  providerNames,
  unknownUserIds,
  givenUpRows,
  openidRecords,
  auditActors,
  taskRows,
  webhooks,
  dueEnds,
];

/** What a migration needs of a connection. Nobody else may use the connection meanwhile. */
export interface MigrationConnection {
  query(call: {
    readonly name: null;
    readonly sql: string;
    readonly values: readonly (string | number)[];
  }): Promise<{ readonly rows: readonly Readonly<Record<string, unknown>>[] }>;
}

const HISTORY = `
CREATE TABLE IF NOT EXISTS schema_migrations (
  name text COLLATE "C" PRIMARY KEY,
  position bigint NOT NULL UNIQUE
)`;

/** Another instance may be at a migration that takes longer; then the start tries again later. */
const LOCK_WAIT_MS = 10 * SECOND_MS;

/** Somebody else is at the schema. It passes, unless that session hangs. */
export class MigrationLockTaken extends Error {}

const LOCK_TIMEOUT = '55P03';
const DEADLOCK = '40P01';
/** After a deadlock with a request, the server has rolled back one of the two. */
const MOST_DEADLOCKS = 5;

/** A connection of the service gives up after seconds. A migration may take longer. */
const NO_LIMITS = ['SET LOCAL statement_timeout = 0', 'SET LOCAL lock_timeout = 0'];

/**
 * Brings the schema up to date, one transaction for each migration. When several instances migrate
 * at once, each waits for the one before it and then finds nothing to do. What was interrupted
 * between two migrations goes on with the next one. A migration that met in a deadlock with the
 * requests of running instances is run again.
 * @throws StoreOpenError when a newer version has already migrated the database by more than
 *   additions
 * @throws MigrationLockTaken when another session has held the lock for `lockMs`; it says which
 */
export async function migratePostgres(
  connection: MigrationConnection,
  lockMs: Ms = LOCK_WAIT_MS,
): Promise<void> {
  // A role without the right to create tables can start a service when nothing is missing.
  let missing = missingIn(await appliedTo(connection));
  for (let deadlocks = 0; missing !== null;) {
    try {
      missing = await applyNext(connection, lockMs);
    } catch (error) {
      deadlocks += 1;
      if (!hasState(error, DEADLOCK) || deadlocks > MOST_DEADLOCKS) throw error;
    }
  }
}

/**
 * For those who may not migrate.
 * @throws StoreOpenError unless the schema is exactly this version's
 */
export async function requireCurrentPostgresSchema(connection: MigrationConnection): Promise<void> {
  const missing = missingIn(await appliedTo(connection));
  if (missing === null) return;
  const what = `The database is of an earlier version of this program (${missing.name} is missing)`;
  const advice = 'Run `miftah migrate` of this version once, which brings it up to date.';
  throw new StoreOpenError('store.older_schema', `${what}. ${advice}`);
}

/** @returns what is missing after it, null when nothing is */
async function applyNext(connection: MigrationConnection, lockMs: Ms): Promise<Migration | null> {
  // In a stricter isolation, what was read after the lock would be as old as the wait for it.
  await run(connection, 'BEGIN ISOLATION LEVEL READ COMMITTED');
  try {
    const missing = await applyFirstMissing(connection, lockMs);
    await run(connection, 'COMMIT');
    return missing;
  } catch (error) {
    // On a broken connection this fails too; then the server rolls back by itself.
    await run(connection, 'ROLLBACK').catch(() => undefined);
    if (!hasState(error, LOCK_TIMEOUT)) throw error;
    throw new MigrationLockTaken(await describeWait(connection, lockMs), { cause: error });
  }
}

async function applyFirstMissing(
  connection: MigrationConnection,
  lockMs: Ms,
): Promise<Migration | null> {
  await run(connection, `SET LOCAL lock_timeout = ${lockMs}`);
  await run(connection, TAKE_MIGRATION_LOCK);
  for (const statement of [...NO_LIMITS, HISTORY]) await run(connection, statement);
  const applied = await appliedTo(connection);
  const migration = missingIn(applied);
  if (migration === null) return null;
  for (const statement of migration.statements) await run(connection, statement);
  const { name } = migration;
  await run(connection, 'INSERT INTO schema_migrations (name, position) VALUES ($1, $2)', [
    name,
    MIGRATIONS.indexOf(migration) + 1,
  ]);
  return missingIn(new Set([...applied, name]));
}

function hasState(error: unknown, sqlState: string): boolean {
  const fault = faultOf(error);
  return fault instanceof ServerError && fault.sqlState === sqlState;
}

async function describeWait(connection: MigrationConnection, lockMs: Ms): Promise<string> {
  const holders = await describeHolders((sql) => run(connection, sql));
  return (
    `the schema is to be brought up to date, and the lock for it was not free for ${lockMs} ms: ` +
    `${holders === '' ? 'it is free now' : `it is held by ${holders}`}. If that is an instance of ` +
    'this service, it is migrating, or it hangs; otherwise end that session (pg_terminate_backend)'
  );
}

/** @throws StoreOpenError of a fence, or a migration unknown to this version that is no addition */
function missingIn(applied: ReadonlySet<string>): Migration | null {
  requireNoFence(applied, 'The store in this database');
  const known = new Set(MIGRATIONS.map(({ name }) => name));
  const unknown = [...applied].find((name) => !known.has(name) && !isAddition(name));
  if (unknown !== undefined) {
    const what = `The database was migrated by a newer version of this program (${unknown})`;
    const advice = 'Run that version again, or restore a backup from before it.';
    throw new StoreOpenError('store.newer_schema', `${what}. ${advice}`);
  }
  return MIGRATIONS.find(({ name }) => !applied.has(name)) ?? null;
}

/** The names of the migrations that the database has. Writes nothing. */
export async function appliedTo(connection: MigrationConnection): Promise<ReadonlySet<string>> {
  const [table] = await run(connection, "SELECT to_regclass('schema_migrations') AS history");
  if (table?.['history'] === null) return new Set();
  const rows = await run(connection, 'SELECT name FROM schema_migrations');
  return new Set(rows.map(({ name }) => String(name)));
}

async function run(
  connection: MigrationConnection,
  sql: string,
  values: readonly (string | number)[] = [],
) {
  return (await connection.query({ name: null, sql, values })).rows;
}
