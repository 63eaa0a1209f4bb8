import { expect, test } from 'vitest';
import { temporaryFolder } from '../support/at-end.ts';
import { KeyChanges } from '../support/faults/key-changes.ts';
import { chooseSeed } from '../support/faults/seeded-random.ts';
import { emptyDatabase } from '../support/postgres/databases.ts';
import {
  clientForTest,
  spawnServiceForTest,
  startServiceForTest,
} from '../support/programs/for-test.ts';
import { runMiftah } from '../support/programs/operator.ts';

const OLD = 'ab'.repeat(32);
const NEW = 'cd'.repeat(32);
const TIMEOUT_MS = 240_000;

test(
  'the key of two instances is changed one after the other, and nothing is lost or doubled',
  async () => {
    const url = await emptyDatabase();
    const seed = chooseSeed();
    const run = new KeyChanges(url, seed);
    try {
      const next = { SECRET_KEY: OLD, RETIRED_SECRET_KEYS: NEW };
      const changed = { SECRET_KEY: NEW, RETIRED_SECRET_KEYS: OLD };
      await run.start(next);
      await run.change([changed]);
      console.log(`TEST_SEED=${seed}: ${run.history.attempts.length} attempts`);
      expect(run.history.violations).toEqual([]);
      expect(run.history.retried).toBeGreaterThan(0);

      const settings = { DATABASE_URL: url, ...changed, DATA_DIR: temporaryFolder('instance') };
      expect(await runMiftah(['keys', 'rotate'], settings)).toMatchObject({ code: 0 });
      await run.change([{ SECRET_KEY: NEW }]);
      expect(run.history.violations).toEqual([]);
      expect(await runMiftah(['audit', '--verify'], settings)).toMatchObject({ code: 0 });
    } finally {
      await run.close();
    }
  },
  TIMEOUT_MS,
);

test('an exchange is repeated at an instance with the other key, and gives the same token', async () => {
  const DATABASE_URL = await emptyDatabase();
  const one = await startServiceForTest({
    settings: { DATABASE_URL, SECRET_KEY: OLD, RETIRED_SECRET_KEYS: NEW },
  });
  const two = await startServiceForTest({
    settings: { DATABASE_URL, SECRET_KEY: NEW, RETIRED_SECRET_KEYS: OLD },
  });
  const [first, second] = [clientForTest(one), clientForTest(two)];
  const started = await first.start({ national_id: '1000001101', locale: 'en' });
  const { attempt_id, attempt_token } = started;
  await first.post('/complete-mfa', { attempt_id });
  const exchange = [
    `/token/${attempt_id}`,
    { attempt_token },
    { 'idempotency-key': '0123456789abcdefghijkl' },
  ] as const;
  const token = await first.post(...exchange);
  expect(token.status).toBe(200);
  expect((await second.post(...exchange)).json).toEqual(token.json);
});

test('an instance with a key that a running one does not know does not start, and says why', async () => {
  const DATABASE_URL = await emptyDatabase();
  const running = await startServiceForTest({ settings: { DATABASE_URL, SECRET_KEY: OLD } });
  const early = { DATABASE_URL, SECRET_KEY: NEW, RETIRED_SECRET_KEYS: OLD };
  const refused = await spawnServiceForTest({ settings: early });
  expect((await refused.exited).code).not.toBe(0);
  expect(refused.stderr()).toContain('first start every instance with it in RETIRED_SECRET_KEYS');
  // The banner says where a service listens: this one was refused before it answered anybody.
  expect(running.stdout()).toContain(`:${running.port}/`);
  expect(refused.stdout()).not.toContain(`:${refused.port}/`);
  expect((await clientForTest(running).send('GET', '/readyz')).status).toBe(200);
  await running.stop();
  await startServiceForTest({ settings: early });
});
