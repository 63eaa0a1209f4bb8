/**
 * Runs the missing migrations, in a thread that ends with them: a query builder has no place
 * in the memory of a process that never needs it again.
 */
import { Kysely } from 'kysely';
import { Migrator, type Migration } from 'kysely/migration';
import { DatabaseSync } from 'node:sqlite';
import { workerData } from 'node:worker_threads';
import { attemptsUsersTokens } from './0001-attempts-users-tokens.ts';
import { nodeSqliteDialect } from './node-sqlite-dialect.ts';
import type { MIGRATION_NAMES } from './names.ts';

/** Longer than all migrations of another process may take. */
const BUSY_TIMEOUT_MS = 30_000;

const MIGRATIONS: Readonly<Record<(typeof MIGRATION_NAMES)[number], Migration>> = {
  '0001-attempts-users-tokens': attemptsUsersTokens,
};

/**
 * One transaction that starts as a writer: of any number of processes that migrate at once, each
 * waits for the one before it and then finds nothing left to do.
 */
async function migrate(file: string): Promise<void> {
  const database = new DatabaseSync(file, { timeout: BUSY_TIMEOUT_MS });
  database.exec('BEGIN IMMEDIATE');
  const migrator = new Migrator({
    db: new Kysely({ dialect: nodeSqliteDialect(database) }),
    provider: { getMigrations: () => Promise.resolve(MIGRATIONS) },
  });
  const { error } = await migrator.migrateToLatest();
  if (error !== undefined) throw new Error('a migration failed', { cause: error });
  database.exec('COMMIT');
  database.close();
}

await migrate(String(workerData));
