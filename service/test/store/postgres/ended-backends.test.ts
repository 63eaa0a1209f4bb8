import { expect, onTestFinished, test } from 'vitest';
import { ask, emptyDatabase } from '../../support/postgres/databases.ts';
import { becomesReady, openPool, refusalOf, sql } from '../../support/postgres/pool.ts';

const WRITERS = 16;
const ROUNDS = 12;
/** All others of this database, then a moment in which they may write. */
const END_ALL = `SELECT count(pg_terminate_backend(pid)), pg_sleep(0.1) FROM pg_stat_activity
  WHERE datname = current_database() AND pid <> pg_backend_pid()`;
const INSERT = 'INSERT INTO item VALUES ($1)';

test('while all backends are ended again and again, every answer is true', async () => {
  const url = await emptyDatabase();
  await ask(url, 'CREATE TABLE item (id int PRIMARY KEY)');
  const pool = openPool(url, onTestFinished, { size: 8 });
  await becomesReady(pool);
  const answers = new Map<number, string>();
  const end = new AbortController();
  const writing = Array.from({ length: WRITERS }, async (_, writer) => {
    for (let id = writer; !end.signal.aborted; id += WRITERS) {
      const call = { name: 'insert', sql: INSERT, values: [id] };
      const isAlone = Math.floor(id / WRITERS) % 2 === 0;
      const write = isAlone ? pool.autocommit(call) : pool.transact((one) => one.query(call));
      answers.set(id, await refusalOf(write));
      // A refusal can come at once, and the next attempt would be in the same turn.
      await turn();
    }
  });
  for (let round = 0; round < ROUNDS; round += 1) await ask(url, END_ALL);
  end.abort();
  await Promise.all(writing);

  const stored = new Set(
    (await ask<{ id: number }>(url, 'SELECT id FROM item')).map(({ id }) => id),
  );
  const of = (answer: string) => [...answers].filter(([, one]) => one === answer);
  const known = new Set(['fulfilled', 'storage.unavailable', 'storage.outcome_unknown']);
  expect([...new Set(answers.values())].filter((answer) => !known.has(answer))).toEqual([]);
  expect(of('fulfilled').filter(([id]) => !stored.has(id))).toEqual([]);
  expect(of('storage.unavailable').filter(([id]) => stored.has(id))).toEqual([]);
  expect(of('fulfilled').length).toBeGreaterThan(ROUNDS);
  expect(answers.size - of('fulfilled').length).toBeGreaterThan(ROUNDS);

  await becomesReady(pool);
  expect((await pool.read(sql('SELECT 1 AS one'))).rows).toEqual([{ one: 1 }]);
  expect(pool.figures).toMatchObject({ inUse: 0, waiting: 0 });
});

function turn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
