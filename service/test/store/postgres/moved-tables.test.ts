import { DatabaseSync } from 'node:sqlite';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { columnsOf, ENDS_OF_LOG, MOVED_TABLES } from '../../../src/store/sql/moved-tables.ts';
import { migrate } from '../../../src/store/sqlite/migrations/migrate.ts';
import { temporaryFolder } from '../../support/at-end.ts';
import { ask, migratedDatabase } from '../../support/postgres/databases.ts';

/** What a move leaves: each engine has its own, or sets it by itself. */
const LEFT = {
  sqlite: [...ENDS_OF_LOG, 'schema_migrations', 'sqlite_sequence'],
  postgres: [
    ...ENDS_OF_LOG,
    'schema_migrations',
    // They may be lost when the server crashes.
    'shared_attempt_leases',
    'shared_notes',
    'shared_rate_windows',
    'shared_status_polls',
    'store_epoch',
    'user_id_origin',
  ],
};

type Column = Readonly<Record<'table' | 'column' | 'type', string>>;

const SQLITE_COLUMNS = `SELECT t.name AS "table", c.name AS "column", lower(c.type) AS type
  FROM sqlite_schema AS t, pragma_table_info(t.name) AS c WHERE t.type = 'table'`;
const POSTGRES_COLUMNS = `SELECT table_name AS "table", column_name AS "column",
  replace(data_type, 'bigint', 'integer') AS type
  FROM information_schema.columns WHERE table_schema = 'public'`;
const SQLITE_KEYS = `SELECT t.name AS "table", group_concat(c.name, ',' ORDER BY c.pk) AS key
  FROM sqlite_schema AS t, pragma_table_info(t.name) AS c WHERE t.type = 'table' AND c.pk
  GROUP BY t.name`;

function inFile<Row>(sql: string): Row[] {
  const file = join(temporaryFolder('moved-tables'), 'miftah.db');
  new DatabaseSync(file).close();
  migrate(file);
  using database = new DatabaseSync(file);
  return database.prepare(sql).all() as Row[];
}

const lineOf = ({ table, column, type }: Column) => `${table}.${column} ${type}`;

function linesOf(columns: readonly Column[], left: readonly string[]): string[] {
  return columns
    .filter(({ table }) => !left.includes(table))
    .map((column) => lineOf(column))
    .toSorted();
}

const MOVED = MOVED_TABLES.flatMap((table) =>
  columnsOf(table).map((column) => `${table.name}.${column} ${table.columns[column]}`),
).toSorted();

test('a move takes every table and column of a file', () => {
  const columns = inFile<Column>(SQLITE_COLUMNS);
  expect(linesOf(columns, LEFT.sqlite)).toEqual(MOVED);
  expect(LEFT.sqlite.filter((name) => !columns.some(({ table }) => table === name))).toEqual([]);
});

test('a move takes every table and column of a database', async () => {
  const columns = await ask<Column>(await migratedDatabase(), POSTGRES_COLUMNS);
  expect(linesOf(columns, LEFT.postgres)).toEqual(MOVED);
  expect(LEFT.postgres.filter((name) => !columns.some(({ table }) => table === name))).toEqual([]);
});

test('rows are read in the order of the key of their table', () => {
  const keys = inFile<Record<'table' | 'key', string>>(SQLITE_KEYS);
  const found = MOVED_TABLES.map(({ name }) => keys.find(({ table }) => table === name)?.key);
  expect(found).toEqual(MOVED_TABLES.map(({ key }) => key.join(',')));
});
