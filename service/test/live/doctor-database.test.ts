import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { share, temporaryFolder } from '../support/at-end.ts';
import { TAKE_MIGRATION_LOCK } from '../../src/store/postgres/own-locks.ts';
import { withConnection } from '../support/postgres/connection.ts';
import { ask, emptyDatabase } from '../support/postgres/databases.ts';
import { sharedServer } from '../support/postgres/door.ts';
import { diagnosisIn, severityOf, type Diagnosis } from '../support/programs/diagnosis.ts';
import { runMiftah } from '../support/programs/operator.ts';
import { openListening } from '../support/service/listening-service.ts';

const SECRET_KEY = 'ab'.repeat(32);
const PASSWORD = 'hunter2';

/** A database that a service has used. */
const used = share(async (atEnd) => {
  const url = await emptyDatabase(atEnd);
  const folder = temporaryFolder('instance', atEnd);
  const settings = { DATABASE_URL: url, DATA_DIR: folder, SECRET_KEY };
  await (await openListening({ settings }, atEnd)).stop();
  return { url, settings };
});

async function examine(settings: Record<string, string> = {}): Promise<Diagnosis> {
  return diagnosisIn(await runMiftah(['doctor', '--json'], { ...used().settings, ...settings }));
}

function textOf({ findings }: Diagnosis, check: string): string {
  const found = findings.filter((one) => one.check === check);
  return found.map(({ what, remedy }) => `${what} ${remedy}`).join('\n');
}

/** The URL of the used database for a role of its own. */
async function urlFor(name: string, setting: string | null = null): Promise<string> {
  const { run } = await sharedServer();
  const role = `${run}_doctor_${name}`;
  await ask(used().url, `CREATE ROLE ${role} LOGIN PASSWORD '${PASSWORD}'`);
  if (setting !== null) await ask(used().url, `ALTER ROLE ${role} SET ${setting}`);
  const url = new URL(used().url);
  url.username = role;
  url.password = PASSWORD;
  return url.href;
}

/** Changes the audit log, without the trigger that refuses it. */
async function moveFirstRow(ms: number): Promise<void> {
  const change = `UPDATE audit_log SET at = at + ${ms} WHERE sequence = 1`;
  await ask(used().url, `SET session_replication_role = replica; ${change}`);
}

describe('miftah doctor, on a database', () => {
  test('finds no fault in one that is used, with no file in DATA_DIR, and writes nothing', async () => {
    const folder = temporaryFolder('doctor');
    const count = 'SELECT count(*) AS rows FROM audit_log';
    const before = await ask(used().url, count);
    const found = await examine({ DATA_DIR: folder });
    expect(found.findings.filter(({ severity }) => severity === 'fault')).toEqual([]);
    expect(found.code).toBe(0);
    for (const check of ['data.folder', 'store.open', 'store.server', 'store.schema']) {
      expect(severityOf(found, check), check).toEqual(['ok']);
    }
    for (const check of ['store.tls', 'store.binding', 'store.key', 'audit.chain']) {
      expect(severityOf(found, check), check).toEqual(['ok']);
    }
    expect(readdirSync(folder)).toEqual([]);
    expect(await ask(used().url, count)).toEqual(before);
  });

  test('store.lock: names the session that holds the lock of migrations', async () => {
    const found = await withConnection(used().url, async (holder) => {
      const query = (sql: string) => holder.query({ name: null, sql, values: [] });
      await query("SET application_name = 'another program'");
      await query('BEGIN');
      await query(TAKE_MIGRATION_LOCK);
      return examine();
    });
    expect([found.code, severityOf(found, 'store.lock')]).toEqual([0, ['warning']]);
    expect(textOf(found, 'store.lock')).toMatch(/process \d+ .*program another program/);
    // The server may need a moment to see that the session is gone.
    await expect.poll(async () => severityOf(await examine(), 'store.lock')).toEqual(['ok']);
  });

  test('store.schema: says what makes the schema of an empty one, and does not make it', async () => {
    const url = await emptyDatabase();
    const found = await examine({ DATABASE_URL: url });
    expect([found.code, severityOf(found, 'store.schema')]).toEqual([0, ['warning']]);
    expect(textOf(found, 'store.schema')).toMatch(
      /^There is nothing in the store: .*miftah migrate/,
    );
    expect(await ask(url, 'SELECT relname FROM pg_class WHERE relname ~ $1', ['^schema_'])).toEqual(
      [],
    );
  });

  test.each([
    ['password', 'refuses the user or the password'],
    ['pathname', 'the database does not exist'],
    ['port', 'ECONNREFUSED'],
  ] as const)('store.open: says that the %s is wrong, and no password', async (part, reason) => {
    const url = new URL(used().url);
    url[part] = part === 'port' ? '1' : PASSWORD;
    const found = await examine({ DATABASE_URL: url.href });
    expect([found.code, severityOf(found, 'store.open')]).toEqual([1, ['fault']]);
    expect(textOf(found, 'store.open')).toContain(reason);
    expect(found.err).not.toContain(PASSWORD);
    const passwords = [new URL(used().url).password, part === 'password' ? PASSWORD : ''];
    for (const password of passwords.filter((text) => text !== '')) {
      expect(found.out).not.toContain(password);
    }
  });

  test('store.server: finds a former primary, another server, and a changed file', async () => {
    const folder = temporaryFolder('doctor-server');
    const file = join(folder, 'postgres-server.json');
    const expected = [
      ['{"systemIdentifier":null,"timeline":99}', 'former primary'],
      ['{"systemIdentifier":"1","timeline":1}', 'another database system'],
      ['{}', 'was changed'],
    ] as const;
    for (const [content, reason] of expected) {
      writeFileSync(file, content, { mode: 0o600 });
      const found = await examine({ DATA_DIR: folder });
      expect([found.code, severityOf(found, 'store.server')], reason).toEqual([1, ['fault']]);
      expect(textOf(found, 'store.server')).toContain(reason);
    }
  });

  test('store.key, store.binding: finds another key, and a store of another mode', async () => {
    const key = await examine({ SECRET_KEY: 'cd'.repeat(32) });
    expect([key.code, severityOf(key, 'store.key')]).toEqual([1, ['fault']]);
    await ask(
      used().url,
      "UPDATE store_seal SET mode = 'live', provider_url = 'https://a.example', path_prefix = '', issuer = 'https://a.example'",
    );
    const mode = await examine();
    expect([mode.code, severityOf(mode, 'store.binding')]).toEqual([1, ['fault']]);
    await ask(
      used().url,
      "UPDATE store_seal SET mode = 'simulator', provider_url = null, path_prefix = null, issuer = null",
    );
  });

  test('audit.chain: finds a row that was changed', async () => {
    await moveFirstRow(1);
    const found = await examine();
    expect([found.code, severityOf(found, 'audit.chain')]).toEqual([1, ['fault']]);
    await moveFirstRow(-1);
  });

  test('store.rights, store.settings: finds a role that may not write, or commits early', async () => {
    const url = await urlFor('poor', 'synchronous_commit = off');
    const found = await examine({ DATABASE_URL: url });
    expect([found.code, severityOf(found, 'store.rights')]).toEqual([1, ['fault']]);
    expect(textOf(found, 'store.rights')).toContain('api_tokens, attempts');
    expect(severityOf(found, 'store.settings')).toContain('warning');
    expect(textOf(found, 'store.settings')).toContain('Synchronous_commit is off');
  });

  test('store.rights: finds a role that may not use the schema, as a command and a start do', async () => {
    const url = await urlFor('shut');
    const settings = { ...used().settings, DATABASE_URL: url };
    await ask(used().url, 'REVOKE USAGE ON SCHEMA public FROM PUBLIC');
    try {
      const found = await examine(settings);
      expect([found.code, severityOf(found, 'store.rights')]).toEqual([1, ['fault']]);
      expect(textOf(found, 'store.rights')).toMatch(/may use no schema .*GRANT USAGE ON SCHEMA/);
      expect(found.out).not.toContain('There is nothing in the store');
      const { code, err } = await runMiftah(['migrate'], settings);
      expect([code, err]).toEqual([
        1,
        expect.stringMatching(/PostgreSQL error 3F000: the role .*/),
      ]);
    } finally {
      await ask(used().url, 'GRANT USAGE ON SCHEMA public TO PUBLIC');
    }
  });

  test('audit.head: tells a new instance, a missing folder and an older database apart', async () => {
    const { settings } = used();
    const AUDIT_HEAD_FILE = join(temporaryFolder('head'), 'head');
    const started = await examine({ AUDIT_HEAD_FILE });
    expect(severityOf(started, 'audit.head')).toEqual(['fault']);
    const fresh = await examine({ AUDIT_HEAD_FILE, DATA_DIR: temporaryFolder('new') });
    expect([fresh.code, severityOf(fresh, 'audit.head')]).toEqual([0, ['warning']]);
    const lost = await examine({ AUDIT_HEAD_FILE: join(temporaryFolder('head'), 'lost', 'head') });
    expect(severityOf(lost, 'audit.head')).toEqual(['fault']);
    expect(textOf(lost, 'audit.head')).toMatch(/The folder \S+lost of .* is not there.* mkdir /);
    const other = { ...settings, DATABASE_URL: await emptyDatabase(), AUDIT_HEAD_FILE };
    other.DATA_DIR = temporaryFolder('other');
    for (const _ of [1, 2]) await (await openListening({ settings: other })).stop();
    const older = await examine({ AUDIT_HEAD_FILE });
    expect(severityOf(older, 'audit.head')).toEqual(['fault']);
    expect(textOf(older, 'audit.head')).toContain('miftah restore --database NAME');
    expect(textOf(older, 'audit.head')).not.toContain('backup');
  });

  test('store.tls: finds a server elsewhere whose name nobody checks, and no encryption', async () => {
    for (const mode of ['require', 'disable']) {
      const url = `postgres://nobody@database.invalid/nothing?sslmode=${mode}`;
      expect(severityOf(await examine({ DATABASE_URL: url }), 'store.tls')).toEqual(['warning']);
    }
  });
});
