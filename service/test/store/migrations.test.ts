import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { migrate } from '../../src/store/migrations/migrate.ts';
import { MIGRATION_NAMES } from '../../src/store/migrations/names.ts';
import { makeDirectory, openErrorOf } from './open-stores.ts';

const MIGRATORS = 20;
/** Each loads a query builder of its own, which takes its time on a busy machine of two cores. */
const MIGRATORS_TIMEOUT_MS = 120_000;

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
  await migrate(file);
  await expect(schema()).toMatchFileSnapshot('schema.golden.sql');
});

test(
  `${MIGRATORS} migrators at once all succeed, and each migration is applied once`,
  async () => {
    await Promise.all(Array.from({ length: MIGRATORS }, () => migrate(file)));
    const applied = rowsOf('SELECT name FROM kysely_migration ORDER BY name');
    expect(applied.map(({ name }) => name)).toEqual(MIGRATION_NAMES);
    await expect(schema()).toMatchFileSnapshot('schema.golden.sql');
    expect(rowsOf('PRAGMA integrity_check')).toEqual([{ integrity_check: 'ok' }]);
  },
  MIGRATORS_TIMEOUT_MS,
);

test('a file that a newer version has migrated is refused, and left as it is', async () => {
  await migrate(file);
  rowsOf("INSERT INTO kysely_migration VALUES ('9999-from-the-future', '2099-01-01')");
  const before = rowsOf('SELECT * FROM kysely_migration');
  const { code, message } = await openErrorOf(migrate(file));
  expect(code).toBe('store.newer_schema');
  expect(message).toContain('9999-from-the-future');
  expect(rowsOf('SELECT * FROM kysely_migration')).toEqual(before);
});

test('a migration that fails leaves nothing behind', async () => {
  rowsOf('CREATE TABLE api_tokens (in_the_way INTEGER)');
  await expect(migrate(file)).rejects.toThrow('a migration failed');
  const tables = rowsOf("SELECT name FROM sqlite_schema WHERE type = 'table'");
  expect(tables).toEqual([{ name: 'api_tokens' }]);
});
