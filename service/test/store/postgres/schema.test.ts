import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, test } from 'vitest';
import { migrate } from '../../../src/store/sqlite/migrations/migrate.ts';
import { temporaryFolder } from '../../support/at-end.ts';
import { ask, migratedDatabase } from '../../support/postgres/databases.ts';

type Line = { readonly line: string };
/** Each part of a schema, as lines that are the same for both engines. */
type Shape = Readonly<Record<string, readonly string[]>>;

/** `sqlite_sequence` is SQLite's own way to remember the ids that were given. */
const SQLITE_TABLES = `sqlite_schema AS t WHERE t.type = 'table' AND t.name <> 'sqlite_sequence'`;

const SQLITE = {
  columns: `
    SELECT format('%s.%s %s%s', t.name, c.name, c.type,
      CASE WHEN c."notnull" OR c.pk THEN ' NOT NULL' ELSE '' END) AS line
    FROM pragma_table_info(t.name) AS c, ${SQLITE_TABLES}`,
  keys: `
    SELECT format('%s (%s)', t.name, (SELECT group_concat(name, ', ') FROM pragma_index_info(i.name)))
      AS line
    FROM pragma_index_list(t.name) AS i, ${SQLITE_TABLES} AND i."unique"
    UNION SELECT format('%s (%s)', t.name, group_concat(c.name, ', ' ORDER BY c.pk))
    FROM pragma_table_info(t.name) AS c, ${SQLITE_TABLES} AND c.pk GROUP BY t.name`,
  references: `
    SELECT format('%s.%s -> %s.%s %s', t.name, f."from", f."table", f."to", f.on_delete) AS line
    FROM pragma_foreign_key_list(t.name) AS f, ${SQLITE_TABLES}`,
  indexes: `
    SELECT format('%s of %s%s', i.name, t.name, CASE WHEN i.partial THEN ' where' ELSE '' END) AS line
    FROM pragma_index_list(t.name) AS i, ${SQLITE_TABLES} AND i.origin = 'c'`,
  tables: `SELECT t.sql AS line FROM ${SQLITE_TABLES}`,
};

const POSTGRES = {
  columns: `
    SELECT table_name || '.' || column_name || ' '
      || CASE data_type WHEN 'bigint' THEN 'INTEGER' WHEN 'text' THEN 'TEXT' ELSE data_type END
      || CASE is_nullable WHEN 'NO' THEN ' NOT NULL' ELSE '' END AS line
    FROM information_schema.columns WHERE table_schema = 'public'`,
  keys: `
    SELECT format('%s (%s)', conrelid::regclass, (
      SELECT string_agg(attname, ', ' ORDER BY place)
      FROM unnest(conkey) WITH ORDINALITY AS key (attribute, place)
      JOIN pg_attribute ON attrelid = conrelid AND attnum = attribute)) AS line
    FROM pg_constraint WHERE connamespace = 'public'::regnamespace AND contype IN ('p', 'u')`,
  references: `
    SELECT format('%s.%s -> %s.%s %s', conrelid::regclass, here.attname, confrelid::regclass,
      there.attname, CASE confdeltype WHEN 'c' THEN 'CASCADE' ELSE 'NO ACTION' END) AS line
    FROM pg_constraint
    JOIN pg_attribute AS here ON here.attrelid = conrelid AND here.attnum = conkey[1]
    JOIN pg_attribute AS there ON there.attrelid = confrelid AND there.attnum = confkey[1]
    WHERE connamespace = 'public'::regnamespace AND contype = 'f'`,
  indexes: `
    SELECT format('%s of %s%s', indexrelid::regclass, indrelid::regclass,
      CASE WHEN indpred IS NULL THEN '' ELSE ' where' END) AS line
    FROM pg_index JOIN pg_class ON pg_class.oid = indexrelid
    WHERE relnamespace = 'public'::regnamespace AND NOT indisunique`,
  checks: `
    SELECT format('%s: %s', conrelid::regclass, conname) AS line
    FROM pg_constraint WHERE connamespace = 'public'::regnamespace AND contype = 'c'
      AND conname NOT LIKE '%_id_check'`,
};

/**
 * What instances share beside the store: a service on SQLite is one process, and has it in memory.
 * And where the ids of users come from: a file has no copies that take its place by themselves. And
 * the epoch: the lock of DATA_DIR keeps a command and a service apart.
 */
const POSTGRES_ALONE = ['shared_', 'user_id_origin', 'store_epoch'];

function sqliteShape(): Shape {
  const file = join(temporaryFolder('schema'), 'miftah.db');
  new DatabaseSync(file).close();
  migrate(file);
  const database = new DatabaseSync(file);
  const lines = (sql: string) => (database.prepare(sql).all() as Line[]).map(({ line }) => line);
  const { tables, ...others } = SQLITE;
  const parts = Object.entries(others).map(([part, sql]) => [part, lines(sql).toSorted()] as const);
  const checks = lines(tables).flatMap(checksIn).toSorted();
  database.close();
  return Object.fromEntries([...parts, ['checks', checks] as const]);
}

/** SQLite can't be asked for the names of its CHECK constraints. */
function checksIn(sql: string): string[] {
  const [, table = ''] = /^CREATE TABLE "?(\w+)/.exec(sql) ?? [];
  return [...sql.matchAll(/CONSTRAINT (\w+) CHECK/g)].map(([, name = '']) => `${table}: ${name}`);
}

async function postgresShape(): Promise<Shape> {
  const url = await migratedDatabase();
  const parts = Object.entries(POSTGRES).map(async ([part, sql]) => {
    const lines = await ask<Line>(url, sql);
    const ofTheStore = lines
      .map(({ line }) => line)
      .filter((line) => !POSTGRES_ALONE.some((name) => line.includes(name)));
    return [part, ofTheStore.toSorted()] as const;
  });
  return Object.fromEntries(await Promise.all(parts));
}

test('both engines have the same tables, columns, keys, references, indexes and checks', async () => {
  const sqlite = sqliteShape();
  expect(sqlite['columns']?.length).toBeGreaterThan(90);
  expect(await postgresShape()).toEqual(sqlite);
});

test('the shared state, and nothing else, is lost in a crash of the server', async () => {
  const unlogged = await ask(
    await migratedDatabase(),
    `SELECT relname FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relkind = 'r'
     AND relpersistence = 'u' ORDER BY relname`,
  );
  expect(unlogged).toEqual(
    ['attempt_leases', 'notes', 'rate_windows', 'status_polls'].map((name) => ({
      relname: `shared_${name}`,
    })),
  );
});

test('text is compared and sorted by its bytes, whatever the database does', async () => {
  const url = await migratedDatabase();
  const others = await ask(
    url,
    `SELECT attrelid::regclass, attname FROM pg_attribute
     JOIN pg_class ON pg_class.oid = attrelid AND relkind = 'r'
     JOIN pg_collation ON pg_collation.oid = attcollation
     WHERE relnamespace = 'public'::regnamespace AND collname <> 'C'`,
  );
  expect(others).toEqual([]);
});

const USER = `INSERT INTO users (identity_digest, issuer, document_type, document_number,
  national_id, arabic_name, english_name, nationality, gender, assurance_level, preferred_locale,
  last_auth_method, created_at, updated_at)
  VALUES ($1, '', '', '', '', '', '', '', '', 2, 'ar', 'mfa', 1, 1) RETURNING id`;

test('the id of a user is given once: after a delete, a rollback, and up to what it was raised to', async () => {
  const url = await migratedDatabase();
  const idOf = async (sql: string, values: readonly string[] = []) =>
    (await ask<{ id: string }>(url, sql, values))[0]?.id;
  const last = () => idOf('SELECT last_user_id() AS id');
  const add = (name: string) => idOf(USER, [name]);
  expect([await last(), await add('first'), await last()]).toEqual(['0', '1', '1']);
  await ask(url, 'DELETE FROM users');
  await expect(ask(url, USER.replace("'ar'", 'NULL'), ['refused'])).rejects.toThrow('null value');
  const second = await add('second');
  expect(Number(second)).toBeGreaterThan(1);
  await ask(url, 'SELECT raise_last_user_id(40)');
  expect([await last(), await add('third')]).toEqual(['40', '41']);
  await ask(url, 'SELECT raise_last_user_id(7)');
  expect([await last(), await add('fourth')]).toEqual(['41', '42']);
});

test('raising the last id while users are added never takes an id back', async () => {
  const url = await migratedDatabase();
  const work = Array.from({ length: 40 }, (_, index) =>
    index % 2 === 0
      ? ask(url, USER, [`user ${index}`])
      : ask(url, 'SELECT raise_last_user_id($1)', [index]),
  );
  await Promise.all(work);
  const [row] = await ask(
    url,
    'SELECT count(*) AS users, max(id) <= last_user_id() AS raised FROM users',
  );
  expect(row).toEqual({ users: '20', raised: true });
});
