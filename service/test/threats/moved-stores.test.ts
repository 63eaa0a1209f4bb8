import { existsSync, readFileSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, onTestFinished, test } from 'vitest';
import { loadConfig } from '../../src/config/config.ts';
import { createRandom } from '../../src/platform/runtime.ts';
import { openStoreForCommand } from '../../src/program/open-store.ts';
import { auditKeysOf } from '../../src/platform/keys/audit-keys.ts';
import { serverKeys } from '../../src/program/store-needs.ts';
import { moveRows, openSqliteSide, type MoveSide } from '../../src/store/index.ts';
import { ACT } from '../conformance/samples.ts';
import { temporaryFolder } from '../support/at-end.ts';
import { mountSmallDisk } from '../support/faults/small-disk.ts';
import { ask, emptyDatabase } from '../support/postgres/databases.ts';
import type { ApiClient } from '../support/programs/api-client.ts';
import { clientForTest } from '../support/programs/for-test.ts';
import { runMiftah } from '../support/programs/operator.ts';
import { openListening, refusalOf } from '../support/service/listening-service.ts';

const SECRET_KEY = 'ab'.repeat(32);
const PERSON = '1000001101';

async function logIn(client: ApiClient): Promise<string> {
  const attempt = await client.start({ national_id: PERSON, locale: 'en' });
  await client.post('/complete-mfa', { attempt_id: attempt.attempt_id });
  return (await client.token(attempt)).token;
}

async function statusOf(client: ApiClient, token: string): Promise<number> {
  return (await client.get('/user', { authorization: `Bearer ${token}` })).status;
}

/** A store in a file with somebody in it, of a service that was stopped. */
async function usedFile() {
  const settings = { SECRET_KEY, DATA_DIR: temporaryFolder('moved') };
  const service = await openListening({ settings });
  const token = await logIn(clientForTest(service));
  await service.stop();
  return { settings, token };
}

/** A service that is stopped after sign-ins of its own people. */
async function signInAt(settings: Record<string, string>, times: number): Promise<void> {
  const service = await openListening({ settings });
  const client = clientForTest(service);
  for (let time = 0; time < times; time++) await logIn(client);
  await service.stop();
}

test('threat 131: what was ended in a store that was moved is good nowhere else', async () => {
  const { settings, token } = await usedFile();
  const backup = join(temporaryFolder('moved'), 'backup.db');
  expect((await runMiftah(['backup', backup], settings)).code).toBe(0);
  const url = new URL(await emptyDatabase());
  const moved = { ...settings, DATABASE_URL: url.href };
  // A command that has the store open while it is moved.
  const { config } = loadConfig([], settings);
  const opened = await openStoreForCommand(config, createRandom(), ACT);
  expect(await runMiftah(['move', '--to', 'DATABASE_URL'], moved)).toMatchObject({ code: 0 });
  await expect(opened.recordEvent({ at: 1, action: 'service.started' })).rejects.toThrow('moved');
  await opened.close();

  const client = clientForTest(await openListening({ settings: moved }));
  expect(await statusOf(client, token)).toBe(200);
  expect((await runMiftah(['revoke', '--all'], moved)).code).toBe(0);
  expect(await statusOf(client, token)).toBe(401);

  const words = `was moved to postgres://${url.username}@${url.host}${url.pathname}`;
  expect(await refusalOf(settings)).toContain(words);
  for (const command of [['revoke', '--all'], ['audit'], ['restore', backup]]) {
    const { code, err } = await runMiftah(command, settings);
    expect({ command, code }).toEqual({ command, code: 1 });
    expect(err).toContain(words);
  }
  const { out } = await runMiftah(['doctor'], settings);
  expect(out).toMatch(/^fault +store\.schema/m);
  expect(out).toContain(words);
  expect(readFileSync(join(settings.DATA_DIR, 'miftah.db'), 'latin1')).not.toContain(url.password);

  // Elsewhere it is a backup: everything in it has ended.
  const DATA_DIR = temporaryFolder('moved');
  const left = join(settings.DATA_DIR, 'miftah.db');
  const restored = await runMiftah(['restore', left], { ...settings, DATA_DIR });
  expect(restored).toMatchObject({ code: 0, err: '' });
  const elsewhere = await openListening({ settings: { ...settings, DATA_DIR } });
  expect(await statusOf(clientForTest(elsewhere), token)).toBe(401);
});

test('threat 131: a password is no argument, and no store is moved while a service runs', async () => {
  const settings = { SECRET_KEY, DATA_DIR: temporaryFolder('moved') };
  await openListening({ settings });
  const url = new URL(await emptyDatabase());
  url.password = 'never-shown-7a1d';
  const told = await runMiftah(['move', '--to', url.href], settings);
  expect(told.code).toBe(1);
  expect(told.err).toContain('--to DATABASE_URL');
  expect(told.out + told.err).not.toContain(url.password);
  const busy = await runMiftah(['move', '--to', 'DATABASE_URL'], {
    ...settings,
    DATABASE_URL: await emptyDatabase(),
  });
  expect(busy.code).toBe(1);
  expect(busy.err).toContain('a service runs on');
});

test('threat 131: a misspelt place is no folder, and is not repeated', async () => {
  const url = new URL(await emptyDatabase());
  const settings = { SECRET_KEY, DATA_DIR: temporaryFolder('moved'), DATABASE_URL: url.href };
  const given = [`Postgres://u:never-shown-7a1d@${url.host}/x`, 'database_url', 'data', ''];
  for (const to of given) {
    const { code, out, err } = await runMiftah(['move', '--to', to], settings);
    expect({ to, code, out }).toEqual({ to, code: 1, out: '' });
    expect(err).toContain('--to is DATABASE_URL (in capitals)');
    expect(err).not.toContain('never-shown');
  }
  // Nothing was fenced.
  await openListening({ settings });
});

test('threat 131: the copy of another store is not emptied, though nobody can use it yet', async () => {
  const { settings } = await usedFile();
  const moved = { ...settings, DATABASE_URL: await emptyDatabase() };
  const move = ['move', '--to', 'DATABASE_URL'];
  expect((await runMiftah(move, moved)).code).toBe(0);
  // As a kill of that move leaves it, after the fence of its source.
  const fence = `arriving 2026-01-31T12:00:00+00:00 from ${settings.DATA_DIR}/miftah.db`;
  await ask(
    moved.DATABASE_URL,
    `INSERT INTO schema_migrations (name, position) VALUES ('${fence}', 0)`,
  );
  const other = await usedFile();
  const { code, err } = await runMiftah(move, { ...moved, ...other.settings });
  expect(code).toBe(1);
  expect(err).toContain(`has a copy of ${settings.DATA_DIR}/miftah.db`);
  // The move that had begun there can come to its end.
  expect(await runMiftah(move, moved)).toMatchObject({ code: 0 });
  expect(await ask(moved.DATABASE_URL, 'SELECT id FROM users')).toHaveLength(1);
});

test('threat 131: a database that has tables of another program is no empty one', async () => {
  const { settings } = await usedFile();
  const DATABASE_URL = await emptyDatabase();
  await ask(DATABASE_URL, 'CREATE TABLE invoices (id bigint)');
  const { code, err } = await runMiftah(['move', '--to', 'DATABASE_URL'], {
    ...settings,
    DATABASE_URL,
  });
  expect([code, err]).toEqual([
    1,
    expect.stringContaining('has tables of another program (invoices)'),
  ]);
  expect(await ask(DATABASE_URL, "SELECT to_regclass('schema_migrations') AS made")).toEqual([
    { made: null },
  ]);
  // Nothing was fenced, and nothing says that a database is used.
  expect(existsSync(join(settings.DATA_DIR, 'postgres-server.json'))).toBe(false);
  await openListening({ settings });
});

test('threat 131: a copy that its disk can not hold is none, and the source goes on', async () => {
  const { settings } = await usedFile();
  const keys = auditKeysOf(serverKeys(loadConfig([], settings).config, createRandom()));
  const disk = mountSmallDisk(8);
  if (disk === null) return console.warn('LEFT OUT: only root on Linux can mount a small disk');
  onTestFinished(() => disk.unmount());
  {
    using source = openSqliteSide(settings.DATA_DIR, keys);
    using into = openSqliteSide(join(disk.folder, 'data'), keys);
    // All of it is in the log, which has taken the last space.
    const filling: MoveSide = {
      ...into,
      commit: async () => {
        await into.ask('CREATE TABLE rest AS SELECT randomblob(1000000) AS bytes');
        await into.commit();
        disk.fill();
      },
    };
    await expect(moveRows(source, filling, '2026-01-31T12:00:00Z')).rejects.toThrow(
      `${into.place} can't be written whole`,
    );
  }
  disk.free();
  await openListening({ settings });
});

test('threat 131: what a later version has added is not left behind', async () => {
  const { settings } = await usedFile();
  const database = new DatabaseSync(join(settings.DATA_DIR, 'miftah.db'));
  database.exec("INSERT INTO schema_migrations (name, position) VALUES ('9999+later', 9999)");
  database.close();
  const { code, err } = await runMiftah(['move', '--to', 'DATABASE_URL'], {
    ...settings,
    DATABASE_URL: await emptyDatabase(),
  });
  expect(code).toBe(1);
  expect(err).toContain('a later version has added (9999+later)');
});

test('threat 131: an instance with a database is in the way of a move back', async () => {
  const settings = { SECRET_KEY, DATABASE_URL: await emptyDatabase() };
  const service = await openListening({ settings });
  const DATA_DIR = temporaryFolder('moved');
  const command = ['move', '--to', DATA_DIR];
  const { code, err } = await runMiftah(command, { ...settings, DATA_DIR });
  expect(code).toBe(1);
  expect(err).toContain('the database is in use');
  await service.stop();
  expect((await runMiftah(command, { ...settings, DATA_DIR })).code).toBe(0);
  expect(await refusalOf(settings)).toContain(`was moved to ${DATA_DIR}`);
});

test('threat 131: doctor and restore say of an empty database beside people what a start says', async () => {
  const { settings, token } = await usedFile();
  const DATABASE_URL = await emptyDatabase();
  const head = { AUDIT_HEAD_FILE: join(temporaryFolder('head'), 'head') };
  await (await openListening({ settings: { ...settings, ...head } })).stop();
  const both = { ...settings, ...head, DATABASE_URL };
  async function requireMove(): Promise<void> {
    const { code, out } = await runMiftah(['doctor'], both);
    expect(code).toBe(1);
    expect(out).toMatch(
      /^fault +store\.left_behind .* has people \(1\) who are not in that database/m,
    );
    expect(out).toContain('Run `miftah move --to DATABASE_URL`');
    expect(out).not.toMatch(/restore|Set another|nothing in the store/);
  }
  // Before any start, after one that was refused, and as a move leaves it that was killed early.
  await requireMove();
  expect(await refusalOf(both)).toContain('miftah move --to DATABASE_URL');
  await requireMove();
  // A row that a command writes would make it a database that is in use.
  for (const command of [
    ['audit', '--verify'],
    ['revoke', '--all'],
    ['backup', '--elsewhere'],
  ]) {
    const { code, out, err } = await runMiftah(command, both);
    expect({ code, out }, command.join(' ')).toEqual({ code: 1, out: '' });
    expect(err).toContain('Run `miftah move --to DATABASE_URL`');
  }
  const name = new URL(DATABASE_URL).pathname.slice(1);
  const { code, out, err } = await runMiftah(['restore', '--database', name], both);
  expect({ code, out }).toEqual({ code: 1, out: '' });
  expect(err).toContain('Run `miftah move --to DATABASE_URL`');
  expect(await ask(DATABASE_URL, 'SELECT * FROM audit_log')).toEqual([]);
  // The way that all of them say.
  expect(await runMiftah(['move', '--to', 'DATABASE_URL'], both)).toMatchObject({ code: 0 });
  expect((await runMiftah(['doctor'], both)).code).toBe(0);
  const client = clientForTest(await openListening({ settings: both }));
  expect(await statusOf(client, token)).toBe(200);
});

test('threat 131: DATABASE_URL beside people in a file is told, with the command', async () => {
  const { settings } = await usedFile();
  const DATABASE_URL = await emptyDatabase();
  const refusal = await refusalOf({ ...settings, DATABASE_URL });
  expect(refusal).toContain('has people (1) who are not in that database');
  expect(refusal).toContain('miftah move --to DATABASE_URL');
  expect(refusal).not.toContain('restore');
  expect(await ask(DATABASE_URL, 'SELECT * FROM audit_log')).toEqual([]);

  // One that has been used for longer is another service's, or this one's for long.
  const own = { ...settings, DATA_DIR: temporaryFolder('moved'), DATABASE_URL };
  await signInAt(own, 3);
  const warned = await openListening({ settings: { ...settings, DATABASE_URL } });
  expect(warned.log()).toContain('has people (1) who are not in that database');
  const { out } = await runMiftah(['doctor'], { ...settings, DATABASE_URL });
  expect(out).toMatch(/^warning +store\.left_behind/m);
});

test('threat 131: one more instance begins no store while the people are left in a file', async () => {
  const { settings, token } = await usedFile();
  const DATABASE_URL = await emptyDatabase();
  const first = { ...settings, DATABASE_URL };
  const more = { ...first, DATA_DIR: temporaryFolder('moved'), NEW_STORE: 'no' };
  async function requireRefused(): Promise<void> {
    // With the code 1 systemd starts it again: the first one may be on its way.
    expect(await refusalOf(more)).toContain('miftah move --to DATABASE_URL');
  }
  // Before any start of the first one, and after it was refused.
  await requireRefused();
  expect(await refusalOf(first)).toContain('miftah move --to DATABASE_URL');
  await requireRefused();
  expect(await ask(DATABASE_URL, 'SELECT * FROM audit_log')).toEqual([]);
  expect(await runMiftah(['move', '--to', 'DATABASE_URL'], first)).toMatchObject({ code: 0 });
  const client = clientForTest(await openListening({ settings: more }));
  expect(await statusOf(client, token)).toBe(200);
});

test('one more instance joins a new store that the first one has begun', async () => {
  const first = { SECRET_KEY, DATABASE_URL: await emptyDatabase() };
  const service = await openListening({ settings: first });
  const more = await openListening({ settings: { ...first, NEW_STORE: 'no' } });
  const token = await logIn(clientForTest(service));
  expect(await statusOf(clientForTest(more), token)).toBe(200);
});

const DAMAGES: readonly (readonly [title: string, damage: (file: string) => void])[] = [
  ['overwritten', (file) => writeFileSync(file, Buffer.alloc(8192, 'x'))],
  ['cut off', (file) => truncateSync(file, 4096)],
  ['empty', (file) => truncateSync(file)],
];

test.for(DAMAGES)(
  'threat 131: a file that is %s, so that nobody knows who is in it, is no file without people',
  async ([, damage]) => {
    const { settings } = await usedFile();
    damage(join(settings.DATA_DIR, 'miftah.db'));
    const DATABASE_URL = await emptyDatabase();
    const both = { ...settings, DATABASE_URL };
    const refusal = await refusalOf(both);
    expect(refusal).toContain("miftah.db can't be read");
    expect(refusal).toContain('move the file away');
    expect(await ask(DATABASE_URL, 'SELECT * FROM audit_log')).toEqual([]);
    const { out } = await runMiftah(['doctor'], both);
    expect(out).toMatch(/^fault +store\.left_behind/m);

    // A database that is in use has its own people.
    const own = { ...settings, DATA_DIR: temporaryFolder('moved'), DATABASE_URL };
    await (await openListening({ settings: own })).stop();
    const started = await openListening({ settings: both });
    expect(started.log()).not.toContain('miftah.db');
  },
);

test('threat 131: a database that was begun by mistake, and used, is not taken for the store', async () => {
  const { settings, token } = await usedFile();
  const head = { AUDIT_HEAD_FILE: join(temporaryFolder('head'), 'head') };
  await (await openListening({ settings: { ...settings, ...head } })).stop();
  const DATABASE_URL = await emptyDatabase();
  const both = { ...settings, DATABASE_URL };
  const elsewhere = { ...both, DATA_DIR: temporaryFolder('moved') };
  const name = new URL(DATABASE_URL).pathname.slice(1);
  async function requireMove(given: Record<string, string>): Promise<void> {
    const refusal = await refusalOf(given);
    expect(refusal).toContain(
      'has people (1) who are not in that database, which was begun without',
    );
    const restored = await runMiftah(['restore', '--database', name], given);
    expect(restored).toMatchObject({ code: 1, out: '' });
    const { code, out } = await runMiftah(['doctor'], given);
    expect(code).toBe(1);
    expect(out).toMatch(/^fault +store\.left_behind/m);
    for (const said of [refusal, restored.err, out]) {
      expect(said).toContain('miftah move --to DATABASE_URL');
      expect(said).not.toContain('miftah restore');
    }
  }
  await signInAt(elsewhere, 1);
  await requireMove(both);
  await requireMove({ ...both, ...head });
  // The longer log is not that of the file, and the head says which one was this service's.
  await signInAt(elsewhere, 5);
  await requireMove({ ...both, ...head });
  const behind =
    "SELECT * FROM audit_log WHERE action = 'store.behind' OR action = 'store.restored'";
  expect(await ask(DATABASE_URL, behind)).toEqual([]);

  const moved = { ...both, ...head, DATABASE_URL: await emptyDatabase() };
  expect(await runMiftah(['move', '--to', 'DATABASE_URL'], moved)).toMatchObject({ code: 0 });
  const client = clientForTest(await openListening({ settings: moved }));
  expect(await statusOf(client, token)).toBe(200);
});

test('threat 131: who has used a database for a time goes on beside a file that was left', async () => {
  const { settings } = await usedFile();
  const head = { AUDIT_HEAD_FILE: join(temporaryFolder('head'), 'head') };
  const DATABASE_URL = await emptyDatabase();
  const own = { ...settings, ...head, DATA_DIR: temporaryFolder('moved'), DATABASE_URL };
  await (await openListening({ settings: own })).stop();
  const service = await openListening({ settings: { ...own, DATA_DIR: settings.DATA_DIR } });
  expect(service.log()).toContain('has people (1) who are not in that database');
});
