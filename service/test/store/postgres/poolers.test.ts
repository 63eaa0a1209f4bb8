import { describe, expect, onTestFinished, test } from 'vitest';
import { atLength } from '../../../../scripts/test-length.ts';
import { hasTools } from '../../../../scripts/debian.mjs';
import { share } from '../../support/at-end.ts';
import { ask, emptyDatabase } from '../../support/postgres/databases.ts';
import { openClient } from '../../support/postgres/connection.ts';
import { becomesReady, openPool, refusalOf, sql } from '../../support/postgres/pool.ts';
import { openPooler, type PoolerSettings } from '../../support/postgres/pooler.ts';
import { spawnServiceForTest, startServiceForTest } from '../../support/programs/for-test.ts';
import { runMiftah } from '../../support/programs/operator.ts';

const SECRET_KEY = 'ab'.repeat(32);
const SAID = 'run it in session mode (PgBouncer: pool_mode = session)';

const opened = share(async (atEnd) => ({ url: await emptyDatabase(atEnd) }));
const behind = (settings: PoolerSettings) => openPooler(opened().url, settings, onTestFinished);

async function isRefused(url: string): Promise<void> {
  const pool = openPool(url, onTestFinished);
  // On a slow machine the connection itself may come too late at first.
  const answers = new Set<unknown>();
  const reason = async () => {
    answers.add(await refusalOf(pool.read(sql('SELECT 1'))));
    const health = pool.health();
    return health.ready ? '' : health.reason;
  };
  await expect.poll(reason).toContain(SAID);
  expect([...answers]).toEqual(['storage.unavailable']);
}

describe('a pooler in between', { skip: !hasTools('pooler') }, () => {
  test('in session mode is used', async () => {
    const pool = openPool(await behind({ mode: 'session' }), onTestFinished);
    await becomesReady(pool);
    const { rows } = await pool.read(sql('SELECT 1 AS one'));
    expect(rows).toEqual([{ one: 1 }]);
  });

  test.each([
    ['that gives out the last process', {}],
    ['that gives out the next process', { roundRobin: true }],
    ['that names a process of the server', { namesServerProcess: true }],
  ])('in transaction mode is refused: %s', async (_, settings) => {
    const url = await behind({ mode: 'transaction', ...settings });
    await isRefused(url);
  });

  test.each(atLength([true, false], [true]))(
    'in transaction mode is refused beside others who use it (%s)',
    async (roundRobin) => {
      const url = await behind({ mode: 'transaction', roundRobin });
      const others = await Promise.all(Array.from({ length: 8 }, () => openClient(url)));
      const over = new AbortController();
      const busy = others.map(async (other) => {
        while (!over.signal.aborted) await other.query('SELECT pg_sleep(0.002)');
        await other.end();
      });
      for (let round = 0; round < 10; round += 1) await isRefused(url);
      over.abort();
      await Promise.all(busy);
    },
  );

  test('a service does not start through one, and the doctor says why', async () => {
    const url = await behind({ mode: 'transaction' });
    const settings = { DATABASE_URL: url, SECRET_KEY };
    const service = await spawnServiceForTest({ settings });
    expect((await service.refused()).code).toBe(1);
    expect(service.stdout() + service.stderr()).toContain(SAID);
    const { code, out } = await runMiftah(['doctor'], settings);
    expect(code).toBe(1);
    expect(out).toContain(SAID);
    const [lock] = await ask(
      opened().url,
      "SELECT FROM pg_locks JOIN pg_database ON oid = database WHERE locktype = 'advisory' AND datname = current_database()",
    );
    expect(lock).toBeUndefined();
  });

  test('a service runs through one in session mode', async () => {
    const url = await behind({ mode: 'session' });
    const service = await startServiceForTest({ settings: { DATABASE_URL: url, SECRET_KEY } });
    expect((await fetch(`${service.origin}/readyz`)).status).toBe(200);
  });
});
