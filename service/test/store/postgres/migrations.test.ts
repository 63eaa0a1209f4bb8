import { spawn } from 'node:child_process';
import { once } from 'node:events';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import {
  migratePostgres,
  type MigrationConnection,
  MIGRATIONS,
  requireCurrentPostgresSchema,
} from '../../../src/store/postgres/migrations/migrate.ts';
import { TAKE_MIGRATION_LOCK } from '../../../src/store/postgres/own-locks.ts';
import { withConnection } from '../../support/postgres/connection.ts';
import { ask, emptyDatabase, migratedDatabase } from '../../support/postgres/databases.ts';
import { describeSchema } from '../../support/postgres/describe-schema.ts';
import { openErrorOf } from '../../support/store/open-stores.ts';

const MIGRATORS = 20;
const KILLS = 20;
const KILLS_LIMIT_MS = 300_000;
const MIGRATOR = fileURLToPath(
  new URL('../../support/postgres/programs/migrate-and-die.ts', import.meta.url),
);
const NAMES = MIGRATIONS.map(({ name }) => name);

function migrate(url: string): Promise<void> {
  return withConnection(url, (connection) => migratePostgres(connection));
}

async function appliedTo(url: string): Promise<string[]> {
  const sql = 'SELECT name FROM schema_migrations ORDER BY position';
  return (await ask<{ name: string }>(url, sql)).map(({ name }) => name);
}

/** After a new migration, `npx vitest run service/test/store -u` writes the file anew. */
test('the migrations lead to the golden schema', async () => {
  const url = await emptyDatabase();
  await migrate(url);
  await expect(await describeSchema(url)).toMatchFileSnapshot('schema.golden.txt');
  expect(await appliedTo(url)).toEqual(NAMES);
});

test('a copy of the template has the same schema', async () => {
  await expect(await describeSchema(await migratedDatabase())).toMatchFileSnapshot(
    'schema.golden.txt',
  );
});

test(`${MIGRATORS} migrators at once all succeed, and each migration is applied once`, async () => {
  const url = await emptyDatabase();
  await ask(url, `ALTER DATABASE ${nameOf(url)} SET default_transaction_isolation = serializable`);
  const ends = await Promise.allSettled(Array.from({ length: MIGRATORS }, () => migrate(url)));
  expect(ends).toEqual(ends.map(() => ({ status: 'fulfilled', value: undefined })));
  expect(await appliedTo(url)).toEqual(NAMES);
});

function nameOf(url: string): string {
  return new URL(url).pathname.slice(1);
}

test(
  `a migration that is killed ${KILLS} times, each time at another statement, resumes`,
  { timeout: KILLS_LIMIT_MS },
  async () => {
    const places = await placesOfKills();
    const urls = await Promise.all(places.map(() => emptyDatabase()));
    await killAt(urls.flatMap((url, index) => [url, String(places[index])]));
    const ends = await Promise.allSettled(urls.map(migrate));
    expect(ends).toEqual(ends.map(() => ({ status: 'fulfilled', value: undefined })));
    const schemas = new Set(await Promise.all(urls.map(describeSchema)));
    expect([...schemas]).toEqual([await describeSchema(await migratedDatabase())]);
  },
);

/** Numbers of statements, spread over a whole migration. */
async function placesOfKills(): Promise<number[]> {
  const asked: string[] = [];
  await withConnection(await emptyDatabase(), (connection) =>
    migratePostgres(recording(connection, asked)),
  );
  const statements = asked.length;
  expect(statements).toBeGreaterThan(KILLS);
  return Array.from({ length: KILLS }, (_, kill) => Math.ceil(((kill + 1) * statements) / KILLS));
}

/** One kill -9 of a process that migrates all of them. */
async function killAt(places: readonly string[]): Promise<void> {
  const migrator = spawn(process.execPath, [MIGRATOR, ...places], { stdio: 'inherit' });
  expect(await once(migrator, 'exit')).toEqual([null, 'SIGKILL']);
}

test('a migration that fails leaves nothing of itself, and keeps those before it', async () => {
  const url = await emptyDatabase();
  await ask(url, 'CREATE TABLE audit_log (in_the_way bigint)');
  await expect(migrate(url)).rejects.toThrow('audit_log');
  expect(await appliedTo(url)).toEqual(NAMES.slice(0, NAMES.indexOf('0003-audit-log')));
  await ask(url, 'DROP TABLE audit_log');
  await migrate(url);
  expect(await appliedTo(url)).toEqual(NAMES);
});

test('when nothing is missing, nothing is locked or written', async () => {
  const url = await migratedDatabase();
  const asked: string[] = [];
  await withConnection(url, (connection) => migratePostgres(recording(connection, asked)));
  expect(asked.filter((sql) => !sql.startsWith('SELECT'))).toEqual([]);
});

function recording(connection: MigrationConnection, asked: string[]): MigrationConnection {
  return {
    query: (call) => {
      asked.push(call.sql);
      return connection.query(call);
    },
  };
}

test('a migration says who holds its lock when it does not get it, and is done when it is free', async () => {
  const url = await emptyDatabase();
  await withConnection(url, async (holder) => {
    const query = (sql: string) => holder.query({ name: null, sql, values: [] });
    const { rows } = await query('SELECT pg_backend_pid() AS pid');
    await query("SET application_name = 'another program'");
    await query('BEGIN');
    await query(TAKE_MIGRATION_LOCK);
    const refused = withConnection(url, (connection) => migratePostgres(connection, 100));
    await expect(refused).rejects.toThrow(
      new RegExp(`process ${String(rows[0]?.['pid'])} .*program another program.*pg_terminate`),
    );
    await query('COMMIT');
  });
  await migrate(url);
  expect(await appliedTo(url)).toEqual(NAMES);
});

test('a migration that the server ends for a deadlock with a request is run again', async () => {
  const url = await emptyDatabase();
  let taken = 0;
  await withConnection(url, async (request) => {
    const send = (sql: string) => request.query({ name: null, sql, values: [] });
    // The server ends whoever looks for a deadlock first: not this one.
    await send("SET deadlock_timeout = '1min'");
    await send('BEGIN');
    let end: Promise<unknown> = Promise.resolve();
    const meet = async () => {
      await send('LOCK TABLE schema_migrations');
      end = send(TAKE_MIGRATION_LOCK).then(() => send('COMMIT'));
    };
    const migrated = withConnection(url, (connection) =>
      migratePostgres({
        query: async (call) => {
          const answer = await connection.query(call);
          if (call.sql === TAKE_MIGRATION_LOCK) taken += 1;
          if (call.sql === TAKE_MIGRATION_LOCK && taken === 2) await meet();
          return answer;
        },
      }),
    );
    await expect(migrated).resolves.toBeUndefined();
    await end;
  });
  expect(await appliedTo(url)).toEqual(NAMES);
  expect(taken).toBe(NAMES.length + 1);
});

describe('a database that does not fit is refused, and left as it is:', () => {
  const ways = { migrate: migratePostgres, look: requireCurrentPostgresSchema };

  test.each(Object.entries(ways))('migrated by a newer version (%s)', async (_, open) => {
    const url = await migratedDatabase();
    await ask(url, "INSERT INTO schema_migrations VALUES ('9999-from-the-future', 9999)");
    const { code, message } = await openErrorOf(withConnection(url, open));
    expect(code).toBe('store.newer_schema');
    expect(message).toContain('9999-from-the-future');
    expect(await appliedTo(url)).toEqual([...NAMES, '9999-from-the-future']);
  });

  test('of an earlier version, for those who may not migrate', async () => {
    const url = await migratedDatabase();
    await withConnection(url, requireCurrentPostgresSchema);
    await ask(url, 'DELETE FROM schema_migrations WHERE position = 3');
    const { code, message } = await openErrorOf(withConnection(url, requireCurrentPostgresSchema));
    expect(code).toBe('store.older_schema');
    expect(message).toContain('miftah migrate');
  });

  test('of nobody yet, for those who may not migrate', async () => {
    const url = await emptyDatabase();
    const { code } = await openErrorOf(withConnection(url, requireCurrentPostgresSchema));
    expect(code).toBe('store.older_schema');
  });
});
