import { spawn } from 'node:child_process';
import { rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { once } from 'node:events';
import process from 'node:process';
import { DatabaseSync } from 'node:sqlite';
import { fileURLToPath } from 'node:url';
import { Worker } from 'node:worker_threads';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { Person } from '../../src/account/user.ts';
import type { Store } from '../../src/store/ports/store.port.ts';
import { clearIdentityDigest } from '../../src/store/sql/identities.ts';
import { openSqliteStore } from '../../src/store/index.ts';
import { attemptsUsersTokens } from '../../src/store/sqlite/migrations/0001-attempts-users-tokens.ts';
import {
  migrate,
  MIGRATIONS,
  requireCurrentSchema,
} from '../../src/store/sqlite/migrations/migrate.ts';
import { authentication, sampleAttempt, samplePerson } from '../conformance/samples.ts';
import { makeDirectory, openErrorOf } from '../support/store/open-stores.ts';

const MIGRATORS = 20;
const MIGRATOR = new URL('../support/store/programs/migrate-file.ts', import.meta.url);
const LATER_MIGRATOR = fileURLToPath(
  new URL('../support/store/programs/migrate-file-later.ts', import.meta.url),
);
const MEGABYTE = 1024 * 1024;

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

test('a file to which a newer version has only added is used', () => {
  migrate(file);
  rowsOf("INSERT INTO schema_migrations VALUES ('9999+from-the-future', 9999)");
  migrate(file);
  requireCurrentSchema(file);
});

test('a migration that fails leaves nothing behind', async () => {
  rowsOf(FIRST_HISTORY);
  rowsOf('CREATE TABLE api_tokens (in_the_way INTEGER)');
  expect(() => migrate(file)).toThrow('api_tokens');
  const tables = rowsOf("SELECT name FROM sqlite_schema WHERE type = 'table'");
  expect(tables).toEqual([{ name: 'schema_migrations' }, { name: 'api_tokens' }]);
  expect(rowsOf('SELECT * FROM schema_migrations')).toEqual([]);
});

const FIRST_HISTORY = `
CREATE TABLE schema_migrations (
  name TEXT PRIMARY KEY,
  position INTEGER NOT NULL UNIQUE
) STRICT`;

/** The schema of the first version. */
function migrateToFirst(): void {
  const database = new DatabaseSync(file);
  const { name, statements } = attemptsUsersTokens;
  for (const statement of [FIRST_HISTORY, ...statements]) database.exec(statement);
  database.prepare('INSERT INTO schema_migrations VALUES (?, 1)').run(name);
  database.close();
}

const PERSON = samplePerson({ documentNumber: '1000000001' });

function insertFirstUser(): void {
  rowsOf(`INSERT INTO users VALUES (7, '${PERSON.issuer}', 'nin', '1000000001', '1000000001',
    'سارة', 'Sara', NULL, 'SA', 'F', 2, 'ar', 'mfa', 1, 2)`);
  rowsOf(
    `INSERT INTO api_tokens VALUES ('token', 'digest', 'attempt', 7, 'app', NULL, 1, 2, NULL)`,
  );
  rowsOf(`UPDATE sqlite_sequence SET seq = 9 WHERE name = 'users'`);
}

test('users of the first version keep their numbers and their tokens, and are known again', async () => {
  migrateToFirst();
  insertFirstUser();
  migrate(file);
  const digest = clearIdentityDigest(PERSON.issuer, 'nin', '1000000001');
  expect(rowsOf('SELECT * FROM users')).toMatchObject([
    { id: 7, identity_digest: digest, vault_key: null, arabic_name: 'سارة', updated_at: 2 },
  ]);
  expect(rowsOf('PRAGMA foreign_key_check')).toEqual([]);
  const store = await openSqliteStore({ directory, onPoisoned: () => undefined });
  const known = await logIn(store, PERSON);
  // The id of a deleted user is never given to another one.
  const next = await logIn(store, samplePerson());
  await store.close();
  expect(known?.user?.id).toBe(7);
  expect(next?.user?.id).toBeGreaterThan(9);
});

test('a store of an earlier version with rows is of the simulator, an empty one of nobody', async () => {
  migrateToFirst();
  insertFirstUser();
  const store = await openSqliteStore({ directory, onPoisoned: () => undefined });
  await expect(store.bindTo(LIVE, 1)).rejects.toMatchObject({ code: 'store.bound_otherwise' });
  expect(await store.bindTo({ mode: 'simulator', provider: null }, 1)).toMatchObject({
    isFirst: false,
  });
  await store.close();
});

test('an empty store of an earlier version is open to the first that seals it', async () => {
  migrateToFirst();
  const store = await openSqliteStore({ directory, onPoisoned: () => undefined });
  expect(await store.bindTo(LIVE, 1)).toMatchObject({ isFirst: true });
  await store.close();
  const again = await openSqliteStore({ directory, onPoisoned: () => undefined });
  expect(await again.bindTo(LIVE, 1)).toMatchObject({ isFirst: false });
  await again.close();
});

const LIVE = {
  mode: 'live',
  provider: { url: 'https://provider.example', pathPrefixes: [''], issuers: ['provider'] },
} as const;

async function logIn(store: Store, person: Person) {
  const attempt = sampleAttempt();
  await store.insertAttempt(attempt);
  return store.authenticateAttempt(authentication(attempt, { person }));
}

/** More than the cache of a connection holds: pages of each part are in the log before the end. */
const ROWS_OF_A_PART = 15_000;
const PARTS = 4;

const notes = (part: number) => {
  const [first, last] = [part * ROWS_OF_A_PART + 1, (part + 1) * ROWS_OF_A_PART];
  return `WITH RECURSIVE n (id) AS (SELECT ${first} UNION ALL SELECT id + 1 FROM n WHERE id < ${last})
    INSERT INTO later SELECT id, printf('%0300d', id) FROM n`;
};

const LATER = {
  name: '9999-later',
  statements: [
    'ALTER TABLE users ADD COLUMN later INTEGER',
    'CREATE TABLE later (id INTEGER PRIMARY KEY, note TEXT NOT NULL) STRICT',
    ...Array.from({ length: PARTS }, (_, part) => notes(part)),
    'CREATE INDEX later_note ON later (note)',
    'DELETE FROM later WHERE id < 0',
  ],
};

test('a migration that is killed before any statement leaves nothing behind, and is then completed', async () => {
  migrateToFirst();
  insertFirstUser();
  migrate(file);
  useWriteAheadLog();
  const before = { schema: schema(), users: rowsOf('SELECT * FROM users') };
  for (const place of LATER.statements.keys()) {
    expect(await startLater(String(place))).toEqual([null, 'SIGKILL']);
    const isWritten = place > LATER.statements.indexOf(notes(0));
    if (isWritten) expect(logSize()).toBeGreaterThan(MEGABYTE);
    expect({ schema: schema(), users: rowsOf('SELECT * FROM users') }).toEqual(before);
    expect(rowsOf('PRAGMA integrity_check')).toEqual([{ integrity_check: 'ok' }]);
  }
  expect(await startLater()).toEqual([0, null]);
  const count = PARTS * ROWS_OF_A_PART;
  expect(rowsOf('SELECT count(*) AS count FROM later')).toEqual([{ count }]);
  expect(rowsOf('SELECT * FROM users')).toEqual(
    before.users.map((user) => ({ ...user, later: null })),
  );
  expect(rowsOf('PRAGMA integrity_check')).toEqual([{ integrity_check: 'ok' }]);
});

function useWriteAheadLog(): void {
  expect(rowsOf('PRAGMA journal_mode = WAL')).toEqual([{ journal_mode: 'wal' }]);
}

function startLater(...killedBefore: string[]): Promise<unknown[]> {
  const args = [LATER_MIGRATOR, file, JSON.stringify(LATER), ...killedBefore];
  return once(spawn(process.execPath, args, { stdio: 'inherit' }), 'exit');
}

/** What was written and not committed is at the end of the log. */
function logSize(): number {
  return statSync(`${file}-wal`, { throwIfNoEntry: false })?.size ?? 0;
}

test('a row without the one it refers to stops the migration, and nothing has changed', () => {
  migrateToFirst();
  insertFirstUser();
  const database = new DatabaseSync(file, { enableForeignKeyConstraints: false });
  database.exec('DELETE FROM users');
  database.close();
  const before = schema();
  expect(() => migrate(file)).toThrow('0002-live-provider left a row');
  expect(schema()).toBe(before);
});
