import { array, assert, asyncProperty, integer, option, string } from 'fast-check';
import { describe, expect, onTestFinished, test } from 'vitest';
import { clientConfigOf } from '../../../src/store/postgres/connections/client-config.ts';
import { parseDatabaseUrl } from '../../../src/store/postgres/connection-url.ts';
import {
  PostgresConnection,
  type Call,
} from '../../../src/store/postgres/connections/connection.ts';
import {
  PreparedStatements,
  StatementGroup,
} from '../../../src/store/postgres/connections/statement-group.ts';
import { share } from '../../support/at-end.ts';
import { ask, emptyDatabase } from '../../support/postgres/databases.ts';
import { openPool, refusalOf, sql } from '../../support/postgres/pool.ts';

const opened = share(async (atEnd) => {
  const url = await emptyDatabase(atEnd);
  await ask(url, 'CREATE TABLE item (id int PRIMARY KEY, text text)');
  return { url };
});

async function connect(): Promise<PostgresConnection> {
  const address = parseDatabaseUrl(opened().url);
  const [server] = address.servers;
  if (server === undefined) throw new Error('the address names no server');
  const connection = new PostgresConnection(clientConfigOf(address, server));
  await connection.connect();
  onTestFinished(() => connection.end());
  return connection;
}

/** A statement that is prepared. */
function named(name: string, text: string, values: Call['values'] = []): Call {
  return { name, sql: text, values };
}

const insert = (id: number, text = '') =>
  named('insert', 'INSERT INTO item VALUES ($1, $2)', [id, text]);
const count = (id: number) =>
  named('count', 'SELECT count(*) AS items FROM item WHERE id = $1', [id]);
const find = (id: number) =>
  named(
    'find',
    'SELECT id, text, timestamptz $$2026-01-01 00:00Z$$ AS at, id > 1 AS big FROM item WHERE id = $1',
    [id],
  );
const first = (text: string, values: Call['values'] = []) => named('first', text, values);
const ECHO = 'SELECT $1::text AS same';
const DIVIDE = 'SELECT 1 / length($1::text) AS one';
const BEGIN = sql('BEGIN');
const COMMIT = sql('COMMIT');

describe('statements that are sent together', () => {
  test('are answered each by itself, in their order', async () => {
    const connection = await connect();
    const calls = [BEGIN, insert(1), count(1), insert(2), count(3), COMMIT];
    // The second time they are prepared.
    for (const use of ['first', 'second']) {
      const answers = await connection.send(calls).answers;
      const commands = answers.map(({ command, changes }) => `${command} ${changes}`);
      expect(commands, use).toEqual([
        'BEGIN 0',
        'INSERT 1',
        'SELECT 1',
        'INSERT 1',
        'SELECT 1',
        'COMMIT 0',
      ]);
      expect([answers[2]?.rows, answers[4]?.rows]).toEqual([[{ items: 1 }], [{ items: 0 }]]);
      await connection.query(sql('DELETE FROM item'));
    }
  });

  test('are not run behind one that fails, and it is said which one that was', async () => {
    const connection = await connect();
    await connection.query(insert(10));
    const sent = connection.send([BEGIN, insert(11), insert(10), insert(12), COMMIT]);
    expect(await refusalOf(sent.answers)).toBe('ServerError 23505');
    expect(sent.answered()).toBe(2);
    await connection.query(sql('ROLLBACK'));
    expect((await connection.query(sql('SELECT id FROM item'))).rows).toEqual([{ id: 10 }]);
  });

  test('a BEGIN that fails lets none of the others be committed by itself', async () => {
    const connection = await connect();
    const wrong = sql('BEGIN ISOLATION LEVEL NONSENSE');
    expect(await refusalOf(connection.send([wrong, insert(20)]).answers)).toBe('ServerError 42601');
    expect((await connection.query(count(20))).rows).toEqual([{ items: 0 }]);
  });

  test.each<[string, string, Call, Call]>([
    ['at its text', '42703', first('SELECT nothing'), first('SELECT 1')],
    ['at its values', '22021', first(ECHO, ['\0']), first(ECHO, ['x'])],
    ['when it runs', '22012', first(DIVIDE, ['']), first(DIVIDE, ['x'])],
  ])(
    'what failed at its first use, %s, is prepared when it is used again',
    async (_, state, bad, good) => {
      const connection = await connect();
      const behind = named('behind', 'SELECT 5 AS five');
      const failing = connection.send([count(30), bad, behind]);
      expect(await refusalOf(failing.answers)).toBe(`ServerError ${state}`);
      const again = connection.send([behind, good, count(30)]).answers;
      expect(await refusalOf(again)).toBe('fulfilled');
      const answers = await again;
      expect(answers.map(({ rows }) => rows.length)).toEqual([1, 1, 1]);
      expect(answers[0]?.rows).toEqual([{ five: 5 }]);
    },
  );

  test('what failed twice, and the second time behind another one, is prepared at last', async () => {
    const connection = await connect();
    const bad = [count(35), first(DIVIDE, [''])];
    expect(await refusalOf(connection.send(bad).answers)).toBe('ServerError 22012');
    const behind = [sql('SELECT 1 / 0'), first(DIVIDE, ['x'])];
    expect(await refusalOf(connection.send(behind).answers)).toBe('ServerError 22012');
    const prepared = connection.query(first(DIVIDE, ['x']));
    await expect(prepared).resolves.toMatchObject({ rows: [{ one: 1 }] });
  });

  test.each<[string, (group: StatementGroup) => void]>([
    ['nothing', (group) => group.handleEmptyQuery()],
    ['a part', (group) => group.handlePortalSuspended()],
    ['too few', () => undefined],
    ['too many', (group) => group.handleCommandComplete({ text: 'SELECT 0' })],
  ])('answers that are not one for each statement are no answers: %s', async (which, disturb) => {
    const group = new StatementGroup([sql('SELECT 1'), sql('SELECT 2')], new PreparedStatements());
    group.handleCommandComplete({ text: 'SELECT 1' });
    if (which !== 'too few') group.handleCommandComplete({ text: 'SELECT 1' });
    disturb(group);
    group.handleReadyForQuery();
    await expect(group.answers).rejects.toThrow(/answer/);
  });

  test('one statement may stand there several times, also before it is known', async () => {
    const connection = await connect();
    const twice = [
      named('twice', 'SELECT $1::int AS it', [1]),
      named('twice', 'SELECT $1::int AS it', [2]),
    ];
    for (const calls of [twice, [...twice, ...twice]]) {
      const answers = await connection.send(calls).answers;
      expect(answers.map(({ rows }) => rows)).toEqual(
        calls.map(({ values }) => [{ it: values[0] }]),
      );
    }
  });

  test('a statement that returned no row at first returns rows with their types later', async () => {
    const connection = await connect();
    expect((await connection.query(find(40))).rows).toEqual([]);
    await connection.query(insert(40, 'x'));
    const { rows } = await connection.query(find(40));
    expect(rows).toEqual([{ id: 40, text: 'x', at: new Date('2026-01-01T00:00:00Z'), big: true }]);
    await connection.query(sql('DELETE FROM item'));
  });

  test('values arrive as they were given, also in lists', async () => {
    const connection = await connect();
    const value = option(
      string({ unit: 'grapheme' }).filter((text) => !text.includes('\0') && text.isWellFormed()),
    );
    await assert(
      asyncProperty(value, array(value), array(option(integer())), async (one, texts, numbers) => {
        const { rows } = await connection.query(
          named('echo', 'SELECT $1::text AS one, $2::text[] AS texts, $3::int[] AS numbers', [
            one,
            texts,
            numbers,
          ]),
        );
        expect(rows).toEqual([{ one, texts, numbers }]);
      }),
    );
    const hard = ['"', '\\', '\\"', '{}', ',', ' ', 'NULL', 'null', '', '\n', "'", 'مفتاح'];
    const { rows } = await connection.query(named('hard', 'SELECT $1::text[] AS texts', [hard]));
    expect(rows).toEqual([{ texts: hard }]);
  });
});

describe('what a transaction sends together with COMMIT', () => {
  test('is committed with it', async () => {
    const pool = openPool(opened().url, onTestFinished);
    await pool.transact(async (session) => {
      await session.query(insert(50));
      session.beforeCommit(insert(51));
    });
    await pool.transact(async (session) => session.beforeCommit(insert(52)));
    expect(await ask(opened().url, 'SELECT id FROM item WHERE id >= 50 ORDER BY id')).toEqual([
      { id: 50 },
      { id: 51 },
      { id: 52 },
    ]);
  });

  test('takes everything back when it fails, and is no unknown outcome', async () => {
    const pool = openPool(opened().url, onTestFinished, { size: 1 });
    const failing = pool.transact(async (session) => {
      await session.query(insert(60));
      session.beforeCommit(insert(60));
    });
    expect(await refusalOf(failing)).toBe('StatementError 23505');
    expect((await pool.read(count(60))).rows).toEqual([{ items: 0 }]);
    await pool.transact(async (session) => session.beforeCommit(insert(61)));
    expect((await pool.read(count(61))).rows).toEqual([{ items: 1 }]);
  });

  test('is run again with the whole transaction after a serialization failure', async () => {
    const pool = openPool(opened().url, onTestFinished);
    let runs = 0;
    await pool.transact(async (session) => {
      runs += 1;
      await session.query(insert(70));
      const again = "DO $$ BEGIN RAISE EXCEPTION 'again' USING ERRCODE = '40001'; END $$";
      session.beforeCommit(runs === 1 ? sql(again) : insert(71));
    });
    expect(runs).toBe(2);
    expect(await ask(opened().url, 'SELECT id FROM item WHERE id >= 70 ORDER BY id')).toEqual([
      { id: 70 },
      { id: 71 },
    ]);
  });

  test('is not committed when the server ends the connection at it', async () => {
    const pool = openPool(opened().url, onTestFinished, { size: 2 });
    const ended = pool.transact(async (session) => {
      await session.query(insert(80));
      session.beforeCommit(sql('SELECT pg_terminate_backend(pg_backend_pid())'));
    });
    expect(await refusalOf(ended)).toBe('storage.unavailable');
    expect((await pool.read(count(80))).rows).toEqual([{ items: 0 }]);
  });

  test('a COMMIT that the server refuses is run again as its error says', async () => {
    const { url } = opened();
    await ask(url, 'CREATE TABLE late (id int, UNIQUE (id) DEFERRABLE INITIALLY DEFERRED)');
    const pool = openPool(url, onTestFinished, { size: 1 });
    const twice = pool.transact(async (session) => {
      await session.query(sql('INSERT INTO late VALUES (1)'));
      session.beforeCommit(sql('INSERT INTO late VALUES (1)'));
    });
    expect(await refusalOf(twice)).toBe('StatementError 23505');
    expect(await ask(url, 'SELECT id FROM late')).toEqual([]);
  });
});
