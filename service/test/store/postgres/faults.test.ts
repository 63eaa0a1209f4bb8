import { inspect } from 'node:util';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import type { PostgresPool } from '../../../src/store/postgres/connections/postgres-pool.ts';
import { share } from '../../support/at-end.ts';
import {
  openCuttingProxy,
  type Cut,
  type CuttingProxy,
} from '../../support/postgres/cutting-proxy.ts';
import { ask } from '../../support/postgres/databases.ts';
import { HeldTimer } from '../../support/postgres/held-timer.ts';
import {
  becomesReady,
  DEADLINE_MS,
  openPool,
  refusalOf,
  sql,
} from '../../support/postgres/pool.ts';
import { startPostgres } from '../../support/postgres/server.ts';
import { WAIT_MS } from '../../support/wait-ms.ts';

const INSERT = 'INSERT INTO item VALUES ($1, $2)';
const WAITS_FOR_STANDBY = "SELECT pid FROM pg_stat_activity WHERE wait_event = 'SyncRep'";

/** A server of its own: settings of the whole server are changed. */
const opened = share(async (atEnd) => {
  const server = await startPostgres({ settings: { synchronous_commit: 'on' } });
  atEnd(() => server.close());
  await ask(server.url, 'CREATE TABLE item (id int PRIMARY KEY, text text)');
  await ask(
    server.url,
    'CREATE TABLE late (id int PRIMARY KEY, item int REFERENCES item DEFERRABLE INITIALLY DEFERRED)',
  );
  return server;
});

async function isStored(id: number): Promise<boolean> {
  return (await ask(opened().url, 'SELECT 1 FROM item WHERE id = $1', [id])).length === 1;
}

const WRITES = {
  'a write by itself': (pool: PostgresPool, id: number) =>
    pool.autocommit(sql(INSERT, [id, 'marker'])),
  'a transaction': (pool: PostgresPool, id: number) =>
    pool.transact((session) => session.query(sql(INSERT, [id, 'marker']))),
};

describe('a commit that waits for a standby that is not there', () => {
  const waiting = share(async (atEnd) => {
    await ask(opened().url, "ALTER SYSTEM SET synchronous_standby_names = 'nobody'");
    await ask(opened().url, 'SELECT pg_reload_conf()');
    atEnd(async () => {
      await ask(opened().url, 'ALTER SYSTEM RESET synchronous_standby_names');
      await ask(opened().url, 'SELECT pg_reload_conf()');
    });
  });

  async function untilItWaits(): Promise<void> {
    waiting();
    await vi.waitFor(
      async () => {
        const backends = await ask(opened().url, WAITS_FOR_STANDBY);
        if (backends.length === 0) throw new Error('no commit waits');
      },
      { timeout: WAIT_MS, interval: 10 },
    );
  }

  async function whenItWaits(work: string): Promise<void> {
    await untilItWaits();
    await ask(opened().url, `SELECT ${work}(pid) FROM (${WAITS_FOR_STANDBY}) AS waiting`);
  }

  describe.each(Object.entries(WRITES))('%s', (name, write) => {
    const first = name === 'a transaction' ? 10 : 0;
    test('a cancelled wait is answered as a success, and its outcome is unknown', async () => {
      const pool = openPool(opened().url, onTestFinished);
      await becomesReady(pool);
      const outcome = refusalOf(write(pool, first + 1));
      await whenItWaits('pg_cancel_backend');
      expect(await outcome).toBe('storage.outcome_unknown');
    });

    test('a backend that is ended while it waits leaves the outcome unknown', async () => {
      const pool = openPool(opened().url, onTestFinished);
      await becomesReady(pool);
      const outcome = refusalOf(write(pool, first + 2));
      await whenItWaits('pg_terminate_backend');
      expect(await outcome).toBe('storage.outcome_unknown');
      await becomesReady(pool);
      expect(await pool.check()).toEqual({ ready: true });
    });

    test('the deadline ends the wait, and the outcome is unknown', async () => {
      const timer = new HeldTimer();
      const pool = openPool(opened().url, onTestFinished, { timer });
      await becomesReady(pool);
      const outcome = refusalOf(write(pool, first + 3));
      await untilItWaits();
      timer.pass(DEADLINE_MS);
      expect(await outcome).toBe('storage.outcome_unknown');
      await becomesReady(pool);
      expect(pool.figures.inUse).toBe(0);
      await whenItWaits('pg_terminate_backend');
    });
  });
});

async function withSetting(setting: string): Promise<PostgresPool> {
  const [name] = setting.split(' ');
  await ask(opened().url, `ALTER ROLE CURRENT_USER SET ${setting}`);
  onTestFinished(async () => {
    await ask(opened().url, `ALTER ROLE CURRENT_USER RESET ${name}`);
  });
  const pool = openPool(opened().url, onTestFinished);
  await becomesReady(pool);
  return pool;
}

describe('settings of the role that would change what an answer means', () => {
  test('warnings that are not sent: they are asked for', async () => {
    const pool = await withSetting('client_min_messages = error');
    const warn = sql("DO $$ BEGIN RAISE WARNING 'no standby' USING ERRCODE = '01000'; END $$");
    expect(await refusalOf(pool.autocommit(warn))).toBe('storage.outcome_unknown');
  });

  test('nulls in arrays that are texts: they are nulls', async () => {
    const pool = await withSetting('array_nulls = off');
    const call = sql('SELECT ($1::text[])[1] IS NULL AS is_null', [[null]]);
    expect((await pool.read(call)).rows).toEqual([{ is_null: true }]);
  });
});

describe('a COMMIT that the server does not understand', () => {
  test('is rolled back, and the connection is as good as before', async () => {
    const proxy = await openCuttingProxy(opened().url, onTestFinished);
    const pool = openPool(proxy.url, onTestFinished, { size: 1 });
    await becomesReady(pool);
    proxy.cutAt('COMMIT\0', 'misread');
    expect(await refusalOf(WRITES['a transaction'](pool, 700))).toBe('StatementError 42601');
    expect((await pool.read(sql('SELECT 7 AS seven'))).rows).toEqual([{ seven: 7 }]);
    expect(await refusalOf(WRITES['a write by itself'](pool, 701))).toBe('fulfilled');
    expect([await isStored(700), await isStored(701)]).toEqual([false, true]);
    expect(pool.figures.reconnects).toBe(0);
  });
});

/** The deadline comes when the server has answered, and nobody has heard it. */
async function passWhenSilent(timer: HeldTimer, proxy: CuttingProxy): Promise<void> {
  await expect.poll(() => proxy.withheld).toBeGreaterThan(0);
  timer.pass(DEADLINE_MS);
}

describe('a connection that is lost', () => {
  const cases: readonly (readonly [string, Cut, string, string, boolean])[] = [
    ['a write by itself', 'after', 'INSERT', 'storage.outcome_unknown', true],
    ['a write by itself', 'silence', 'INSERT', 'storage.outcome_unknown', true],
    ['a transaction', 'before', 'BEGIN', 'storage.unavailable', false],
    ['a transaction', 'before', 'INSERT', 'storage.unavailable', false],
    ['a transaction', 'after', 'INSERT', 'storage.unavailable', false],
    ['a transaction', 'silence', 'INSERT', 'storage.unavailable', false],
    ['a transaction', 'before', 'COMMIT', 'storage.outcome_unknown', false],
    ['a transaction', 'after', 'COMMIT', 'storage.outcome_unknown', true],
    ['a transaction', 'silence', 'COMMIT', 'storage.outcome_unknown', true],
  ];
  test.each(cases)('%s, %s %s: %s', async (name, cut, text, code, stored) => {
    const proxy = await openCuttingProxy(opened().url, onTestFinished);
    const timer = new HeldTimer();
    const pool = openPool(proxy.url, onTestFinished, { timer });
    await becomesReady(pool);
    const id =
      100 + cases.findIndex((one) => one.join() === [name, cut, text, code, stored].join());
    // With the end of the message: the text of BEGIN contains READ COMMITTED.
    proxy.cutAt(text === 'COMMIT' ? 'COMMIT\0' : text, cut);
    const write = name === 'a transaction' ? WRITES['a transaction'] : WRITES['a write by itself'];
    const outcome = refusalOf(write(pool, id));
    if (cut === 'silence') await passWhenSilent(timer, proxy);
    expect(await outcome).toBe(code);
    await expect.poll(() => isStored(id)).toBe(stored);
    await becomesReady(pool);
    expect(await refusalOf(write(pool, 500 + id))).toBe('fulfilled');
  });

  test.each(['before', 'after'] as const)('a read is sent once more: %s', async (cut) => {
    const proxy = await openCuttingProxy(opened().url, onTestFinished);
    const pool = openPool(proxy.url, onTestFinished);
    await becomesReady(pool);
    proxy.cutAt('SELECT 7', cut);
    expect((await pool.read(sql('SELECT 7 AS seven'))).rows).toEqual([{ seven: 7 }]);
    expect(pool.figures.reconnects).toBe(1);
  });

  test('a read that is not answered in time is unavailable', async () => {
    const proxy = await openCuttingProxy(opened().url, onTestFinished);
    const timer = new HeldTimer();
    const pool = openPool(proxy.url, onTestFinished, { timer });
    await becomesReady(pool);
    proxy.cutAt('SELECT 7', 'silence');
    const outcome = refusalOf(pool.read(sql('SELECT 7')));
    await passWhenSilent(timer, proxy);
    expect(await outcome).toBe('storage.unavailable');
  });

  test('after a deadline whose second half brought no answer, nobody else waits as long again', async () => {
    const proxy = await openCuttingProxy(opened().url, onTestFinished);
    const timer = new HeldTimer();
    const pool = openPool(proxy.url, onTestFinished, { size: 2, timer });
    await becomesReady(pool);
    const first = refusalOf(pool.read(sql('SELECT pg_sleep(600)')));
    expect(await refusalOf(pool.read(sql('SELECT 1')))).toBe('fulfilled');
    proxy.freeze();
    timer.pass(DEADLINE_MS);
    expect(await first).toBe('storage.unavailable');
    // A new connection would be answered, but it is not there yet.
    expect(await refusalOf(pool.read(sql('SELECT 1')))).toBe('storage.unavailable');
    await becomesReady(pool);
    expect(await refusalOf(pool.read(sql('SELECT 1')))).toBe('fulfilled');
  });

  test('close does not wait for a server that has gone silent', async () => {
    const proxy = await openCuttingProxy(opened().url, onTestFinished);
    const pool = openPool(proxy.url, () => undefined);
    await becomesReady(pool);
    proxy.freeze();
    await pool.close();
    expect(pool.figures.inUse).toBe(0);
  });

  test('backends that are ended while nobody uses them are replaced unnoticed', async () => {
    const pool = openPool(`${opened().url}?application_name=idle`, onTestFinished);
    await Promise.all([1, 2, 3, 4].map(() => pool.check()));
    const others =
      "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'idle'";
    await ask(opened().url, others);
    await expect.poll(() => pool.figures.reconnects).toBe(1);
    expect(await refusalOf(WRITES['a transaction'](pool, 300))).toBe('fulfilled');
  });

  test('a backend that is ended in a transaction has written nothing', async () => {
    const pool = openPool(opened().url, onTestFinished);
    const run = pool.transact(async (session) => {
      const { rows } = await session.query(
        sql(`${INSERT} RETURNING pg_backend_pid() AS pid`, [301, 'a']),
      );
      await ask(opened().url, 'SELECT pg_terminate_backend($1)', [rows[0]?.['pid']]);
      await session.query(sql('SELECT 1'));
    });
    expect(await refusalOf(run)).toBe('storage.unavailable');
    expect(await isStored(301)).toBe(false);
  });
});

describe('a fault of a statement', () => {
  const faults: readonly (readonly [string, string])[] = [
    ["INSERT INTO item SELECT 400, 'hunter2' FROM generate_series(1, 2)", 'StatementError 23505'],
    ["SELECT 'hunter2'::int", 'StatementError 22P02'],
    ['SELECT hunter2', 'StatementError 42703'],
    ['SELECT 1 / 0', 'StatementError 22012'],
    ["DO $$ BEGIN RAISE 'hunter2' USING ERRCODE = '53100'; END $$", 'storage.unavailable'],
    ["DO $$ BEGIN RAISE 'hunter2' USING ERRCODE = '53300'; END $$", 'storage.unavailable'],
    ["DO $$ BEGIN RAISE 'hunter2' USING ERRCODE = '57014'; END $$", 'storage.unavailable'],
    ["DO $$ BEGIN RAISE 'hunter2' USING ERRCODE = '55P03'; END $$", 'storage.unavailable'],
    ["DO $$ BEGIN RAISE 'hunter2' USING ERRCODE = '25006'; END $$", 'storage.unavailable'],
  ];

  test.each(faults)('%s: %s', async (text, code) => {
    const pool = openPool(opened().url, onTestFinished);
    expect(await refusalOf(pool.autocommit(sql(text)))).toBe(code);
    expect(await refusalOf(pool.transact((session) => session.query(sql(text))))).toBe(code);
    const caught = await pool.autocommit(sql(text)).catch((error: unknown) => error);
    expect(inspect(caught, { depth: 9, showHidden: true })).not.toContain('hunter2');
    await becomesReady(pool);
  });

  test.each([
    ["DO $$ BEGIN RAISE 'x' USING ERRCODE = '57P01'; END $$"],
    ["DO $$ BEGIN RAISE 'x' USING ERRCODE = '08006'; END $$"],
    ["DO $$ BEGIN RAISE 'x' USING ERRCODE = '40003'; END $$"],
    ["DO $$ BEGIN RAISE 'x' USING ERRCODE = 'XX000'; END $$"],
  ])('%s proves nothing about a write by itself, and rolls a transaction back', async (text) => {
    const pool = openPool(opened().url, onTestFinished);
    expect(await refusalOf(pool.autocommit(sql(text)))).toBe('storage.outcome_unknown');
    const run = pool.transact((session) => session.query(sql(text)));
    expect(await refusalOf(run)).toBe('storage.unavailable');
  });

  test('a caller who goes on after a fault does not get a commit', async () => {
    const pool = openPool(opened().url, onTestFinished);
    const run = pool.transact(async (session) => {
      await session.query(sql(INSERT, [410, 'a']));
      await session.query(sql(INSERT, [410, 'b'])).catch(() => undefined);
    });
    expect(await refusalOf(run)).toBe('StatementError 23505');
    expect(await isStored(410)).toBe(false);
  });

  test('a constraint that is looked at only by COMMIT is a fault of the statements', async () => {
    const pool = openPool(opened().url, onTestFinished);
    const run = pool.transact((session) => session.query(sql('INSERT INTO late VALUES (1, 999)')));
    expect(await refusalOf(run)).toBe('StatementError 23503');
  });

  test('a statement that was prepared before a change of its table is prepared anew', async () => {
    const pool = openPool(opened().url, onTestFinished, { size: 1 });
    await ask(opened().url, 'CREATE TABLE wide (id int)');
    const all = { name: 'all', sql: 'SELECT * FROM wide', values: [] };
    const write = { name: 'put', sql: 'INSERT INTO wide VALUES (1) RETURNING *', values: [] };
    await pool.read(all);
    await pool.autocommit(write);
    await ask(opened().url, 'ALTER TABLE wide ADD COLUMN more int');
    expect((await pool.read(all)).rows).toEqual([{ id: 1, more: null }]);
    await ask(opened().url, 'ALTER TABLE wide ADD COLUMN most int');
    await pool.transact((session) => session.query(write));
    expect((await pool.read(all)).rows).toHaveLength(2);
  });
});
