import { once } from 'node:events';
import { DatabaseSync } from 'node:sqlite';
import { Worker } from 'node:worker_threads';
import { StoreOpenError } from '../store-fault.ts';
import { MIGRATION_NAMES } from './names.ts';

/**
 * Brings the schema of a file up to date; safe when several processes do it at once.
 * @throws StoreOpenError when a newer version has already migrated it
 */
export async function migrate(file: string): Promise<void> {
  const applied = appliedMigrations(file);
  refuseNewer(file, applied);
  if (applied.length === MIGRATION_NAMES.length) return;
  const worker = new Worker(new URL('./migration-worker.ts', import.meta.url), {
    workerData: file,
  });
  // Rejects with the thread's error, should it end by one.
  await once(worker, 'exit');
}

function refuseNewer(file: string, applied: readonly string[]): void {
  const known: readonly string[] = MIGRATION_NAMES;
  const unknown = applied.find((name) => !known.includes(name));
  if (unknown === undefined) return;
  const advice = 'Run that version again, or restore a backup from before it.';
  throw new StoreOpenError(
    'store.newer_schema',
    `${file} was migrated by a newer version of this program (${unknown}). ${advice}`,
  );
}

function appliedMigrations(file: string): string[] {
  const database = new DatabaseSync(file, { readOnly: true });
  try {
    const isNew = database
      .prepare("SELECT name FROM sqlite_schema WHERE name = 'kysely_migration'")
      .all();
    if (isNew.length === 0) return [];
    return database
      .prepare('SELECT name FROM kysely_migration')
      .all()
      .map(({ name }) => String(name));
  } finally {
    database.close();
  }
}
