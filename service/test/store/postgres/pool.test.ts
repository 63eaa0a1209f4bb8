import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { share } from '../../support/at-end.ts';
import { ask, emptyDatabase } from '../../support/postgres/databases.ts';
import { HeldTimer } from '../../support/postgres/held-timer.ts';
import {
  becomesReady,
  DEADLINE_MS,
  openPool,
  refusalOf,
  sql,
} from '../../support/postgres/pool.ts';
import { startPostgres } from '../../support/postgres/server.ts';

const opened = share(async (atEnd) => {
  const url = await emptyDatabase(atEnd);
  await ask(url, 'CREATE TABLE item (id int PRIMARY KEY, text text NOT NULL CHECK (text > $$$$))');
  await ask(url, 'CREATE TABLE other (id int PRIMARY KEY)');
  return { url };
});

const INSERT = 'INSERT INTO item VALUES ($1, $2)';

function idsOf(url: string): Promise<number[]> {
  return ask<{ id: number }>(url, 'SELECT id FROM item ORDER BY id').then((rows) =>
    rows.map(({ id }) => id),
  );
}

describe('a PostgreSQL pool', () => {
  test('gives whole numbers as numbers, and one that is not safe as text', async () => {
    const pool = openPool(opened().url, onTestFinished);
    const { rows } = await pool.read(
      sql(`SELECT count(*) AS count, 5::int8 AS int8, sum(7::int8) AS sum, 1.5::numeric AS half,
        9007199254740993::int8 AS large, 3::int4 AS int4, NULL::int8 AS none`),
    );
    const numbers = { count: 1, int8: 5, sum: 7, half: '1.5', large: '9007199254740993' };
    expect(rows).toEqual([{ ...numbers, int4: 3, none: null }]);
  });

  test('prepares a named statement once on each connection', async () => {
    const pool = openPool(opened().url, onTestFinished, { size: 1 });
    for (const id of [1, 2, 3]) {
      await pool.read({ name: 'one-item', sql: 'SELECT $1::int', values: [id] });
    }
    const { rows } = await pool.read(
      sql('SELECT generic_plans + custom_plans AS runs FROM pg_prepared_statements'),
    );
    expect(rows).toEqual([{ runs: 3 }]);
  });

  test('writes one statement, with arrays', async () => {
    const { url } = opened();
    const pool = openPool(url, onTestFinished);
    const write = 'INSERT INTO item SELECT * FROM unnest($1::int[], $2::text[]) RETURNING id';
    const values = [
      [10, 11],
      ['a"{', null],
    ] as const;
    await expect(refusalOf(pool.autocommit(sql(write, values)))).resolves.toBe(
      'StatementError 23502',
    );
    const result = await pool.autocommit(
      sql(write, [
        [10, 11],
        ['a"{,}', 'NULL'],
      ]),
    );
    expect(result).toMatchObject({ rows: [{ id: 10 }, { id: 11 }], changes: 2 });
    expect(await ask(url, 'SELECT text FROM item WHERE id IN (10, 11) ORDER BY id')).toEqual([
      { text: 'a"{,}' },
      { text: 'NULL' },
    ]);
  });

  test('commits all of a transaction, or nothing', async () => {
    const { url } = opened();
    const pool = openPool(url, onTestFinished);
    const results = await pool.transact(async (session) => {
      await session.query(sql(INSERT, [20, 'a']));
      return session.pipeline([sql(INSERT, [21, 'b']), sql('SELECT id FROM item WHERE id = 21')]);
    });
    expect(results).toMatchObject([{ changes: 1 }, { rows: [{ id: 21 }] }]);
    const refused = pool.transact(async (session) => {
      await session.query(sql(INSERT, [22, 'a']));
      throw new Error('the caller changed its mind');
    });
    await expect(refused).rejects.toThrow('changed its mind');
    const ids = await idsOf(url);
    expect(ids).toContain(20);
    expect(ids).toContain(21);
    expect(ids).not.toContain(22);
  });

  test('a failed statement of a pipeline is the one that is reported', async () => {
    const pool = openPool(opened().url, onTestFinished);
    const run = pool.transact((session) =>
      session.pipeline([sql(INSERT, [30, 'a']), sql(INSERT, [30, 'b']), sql(INSERT, [31, ''])]),
    );
    expect(await refusalOf(run)).toBe('StatementError 23505');
    expect(await idsOf(opened().url)).not.toContain(30);
  });

  test('a transaction is READ COMMITTED, whatever the role has', async () => {
    const { url } = opened();

    const pool = openPool(url, onTestFinished, { size: 1 });
    await pool.read(
      sql(`SELECT set_config('default_transaction_isolation', 'serializable', false)`),
    );
    const level = await pool.transact((session) =>
      session.query(sql('SHOW transaction_isolation')),
    );
    expect(level.rows).toEqual([{ transaction_isolation: 'read committed' }]);
  });

  test('a deadlock is run again, and both are committed', async () => {
    const { url } = opened();
    await ask(url, 'INSERT INTO other VALUES (1), (2)');
    const pool = openPool(url, onTestFinished);
    const bothHoldOne = barrier(2);
    let runs = 0;
    let oneIsDone: Promise<unknown> = Promise.resolve();
    const change = (first: number, second: number) =>
      pool.transact(async (session) => {
        runs += 1;
        // Else the one that is run again could be the first to lock its row, and they meet again.
        if (runs > 2) await oneIsDone;
        await session.query(sql('SELECT id FROM other WHERE id = $1 FOR UPDATE', [first]));
        await bothHoldOne();
        await session.query(sql('SELECT id FROM other WHERE id = $1 FOR UPDATE', [second]));
        return session.query(sql(INSERT, [40 + first, 'locked']));
      });
    const both = [change(1, 2), change(2, 1)];
    oneIsDone = Promise.race(both);
    await Promise.all(both);
    expect(runs).toBe(3);
    expect(await idsOf(url)).toEqual(expect.arrayContaining([41, 42]));
  });

  test('a serialization failure is run again three times, then it is unavailable', async () => {
    const pool = openPool(opened().url, onTestFinished);
    let runs = 0;
    const failing = pool.transact((session) => {
      runs += 1;
      return session.query(
        sql("DO $$ BEGIN RAISE EXCEPTION 'again' USING ERRCODE = '40001'; END $$"),
      );
    });
    expect(await refusalOf(failing)).toBe('storage.unavailable');
    expect(runs).toBe(4);
  });

  test('refuses an operation when too many wait, and one whose time is over', async () => {
    const timer = new HeldTimer();
    const onChange = vi.fn<(figures: object) => void>();
    const narrow = { size: 1, maxWaiting: 1, timer, onChange };
    const pool = openPool(opened().url, onTestFinished, narrow);
    await becomesReady(pool);
    const held = Promise.withResolvers<void>();
    const begun = Promise.withResolvers<void>();
    const holder = pool.transact(async (session) => {
      await session.query(sql('SELECT 1'));
      begun.resolve();
      await held.promise;
    });
    await begun.promise;
    const waiting = refusalOf(pool.read(sql('SELECT 1')));
    expect(await refusalOf(pool.read(sql('SELECT 1')))).toBe('server.overloaded');
    expect(onChange).toHaveBeenLastCalledWith({ open: 1, inUse: 1, waiting: 1, reconnects: 0 });
    timer.pass(DEADLINE_MS);
    expect(await waiting).toBe('storage.unavailable');
    held.resolve();
    expect(await refusalOf(holder)).toBe('storage.unavailable');
    await becomesReady(pool);
    expect(await pool.check()).toEqual({ ready: true });
  });

  test('never uses more connections than its size', async () => {
    const pool = openPool(opened().url, onTestFinished, { size: 3 });
    const pids = await Promise.all(
      Array.from({ length: 30 }, () => pool.read(sql('SELECT pg_backend_pid() AS pid'))),
    );
    expect(new Set(pids.map(({ rows }) => rows[0]?.['pid'])).size).toBeLessThanOrEqual(3);
    expect(pool.figures).toMatchObject({ inUse: 0, waiting: 0 });
  });

  test('close waits for what runs, refuses what comes, and leaves no connection', async () => {
    const { url } = opened();
    const address = `${url}?application_name=closing`;
    const pool = openPool(address, () => undefined);
    await becomesReady(pool);
    const running = pool.read(sql('SELECT pg_sleep(0.2), 1 AS done'));
    const closed = pool.close();
    expect(await refusalOf(pool.read(sql('SELECT 1')))).toBe('storage.unavailable');
    await closed;
    expect((await running).rows).toMatchObject([{ done: 1 }]);
    const left = "SELECT pid FROM pg_stat_activity WHERE application_name = 'closing'";
    await expect.poll(() => ask(url, left)).toEqual([]);
  });

  test('a limit of the server ends what this process can no longer end', async () => {
    const pool = openPool(opened().url, onTestFinished, { deadlineMs: 1000 });
    const limits = sql(`SELECT current_setting('statement_timeout') AS statement,
      current_setting('idle_in_transaction_session_timeout') AS idle`);
    // A busy machine may be too slow for the deadline.
    const read = async () => (await pool.read(limits).catch(() => null))?.rows;
    await expect.poll(read).toEqual([{ statement: '900ms', idle: '2s' }]);
  });
});

describe('a database that is away', () => {
  test('leaves the pool not ready at the start, and it becomes ready by itself', async () => {
    const server = await startPostgres();
    onTestFinished(() => server.close());
    await server.stop();
    const pool = openPool(server.url, onTestFinished);
    expect(await refusalOf(pool.read(sql('SELECT 1')))).toBe('storage.unavailable');
    expect(pool.health()).toMatchObject({ ready: false });
    expect(JSON.stringify(pool.health())).toContain('ECONNREFUSED');
    await server.start();
    await becomesReady(pool);
    expect((await pool.read(sql('SELECT 1 AS one'))).rows).toEqual([{ one: 1 }]);
    expect(pool.figures.reconnects).toBe(0);

    await server.kill();
    await expect.poll(() => pool.health().ready).toBe(false);
    await server.start();
    await becomesReady(pool);
    expect(await pool.check()).toEqual({ ready: true });
    expect(pool.figures.reconnects).toBe(1);
  });
});

/** Resolves for all when `count` have come to it; later ones pass. */
function barrier(count: number): () => Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  let left = count;
  return () => {
    left -= 1;
    if (left <= 0) resolve();
    return promise;
  };
}
