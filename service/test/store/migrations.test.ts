import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { once } from 'node:events';
import { DatabaseSync } from 'node:sqlite';
import { Worker } from 'node:worker_threads';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { migrate, MIGRATIONS } from '../../src/store/migrations/migrate.ts';
import { makeDirectory, openErrorOf } from './open-stores.ts';

const MIGRATORS = 20;
const MIGRATOR = new URL('fixtures/migrate-file.ts', import.meta.url);

let directory: string;
let file: string;

beforeEach(() => {
  directory = makeDirectory();
  file = join(directory, 'miftah.db');
  new DatabaseSync(file).close();
});

afterEach(() => rmSync(directory, { recursive: true }));

function rowsOf(sql: string): Record<string, unknown>[] {
  const database = new DatabaseSync(file);
  const rows = database.prepare(sql).all();
  database.close();
  return rows;
}

function schema(): string {
  const rows = rowsOf('SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL ORDER BY name');
  return `${rows.map(({ sql }) => `${String(sql)};`).join('\n\n')}\n`;
}

/** After a new migration, `npx vitest run service/test/store -u` writes the file anew. */
test('the migrations lead to the golden schema', async () => {
  migrate(file);
  await expect(schema()).toMatchFileSnapshot('schema.golden.sql');
});

test(`${MIGRATORS} migrators at once all succeed, and each migration is applied once`, async () => {
  const migrators = Array.from(
    { length: MIGRATORS },
    () => new Worker(MIGRATOR, { workerData: file }),
  );
  const ends = await Promise.all(migrators.map((migrator) => once(migrator, 'exit')));
  expect(ends).toEqual(migrators.map(() => [0]));
  const applied = rowsOf('SELECT name FROM schema_migrations ORDER BY position');
  expect(applied.map(({ name }) => name)).toEqual(MIGRATIONS.map(({ name }) => name));
  await expect(schema()).toMatchFileSnapshot('schema.golden.sql');
  expect(rowsOf('PRAGMA integrity_check')).toEqual([{ integrity_check: 'ok' }]);
});

test('a file that a newer version has migrated is refused, and left as it is', async () => {
  migrate(file);
  rowsOf("INSERT INTO schema_migrations VALUES ('9999-from-the-future', 9999)");
  const before = rowsOf('SELECT * FROM schema_migrations');
  const { code, message } = await openErrorOf(Promise.try(() => migrate(file)));
  expect(code).toBe('store.newer_schema');
  expect(message).toContain('9999-from-the-future');
  expect(rowsOf('SELECT * FROM schema_migrations')).toEqual(before);
});

test('a migration that fails leaves nothing behind', async () => {
  rowsOf('CREATE TABLE api_tokens (in_the_way INTEGER)');
  expect(() => migrate(file)).toThrow('api_tokens');
  const tables = rowsOf("SELECT name FROM sqlite_schema WHERE type = 'table'");
  expect(tables).toEqual([{ name: 'api_tokens' }]);
});
