import { expect, test } from 'vitest';
import { emptyDatabase } from '../support/postgres/databases.ts';
import { clientForTest, startServiceForTest } from '../support/programs/for-test.ts';

const SETTINGS = { SECRET_KEY: 'ab'.repeat(32), RATE_LIMITS: 'on' };
/** The quota of starts for an address. */
const STARTS = 20;

test('the limits of an address are counted over all instances', async () => {
  const DATABASE_URL = await emptyDatabase();
  const settings = { ...SETTINGS, DATABASE_URL };
  const services = await Promise.all([1, 2, 3].map(() => startServiceForTest({ settings })));
  const clients = services.map(clientForTest);
  const answers = await Promise.all(
    clients.flatMap((client) =>
      Array.from({ length: STARTS }, () => client.post('/start', { locale: 'en' })),
    ),
  );
  const allowed = answers.filter(({ status }) => status === 200);
  expect(allowed).toHaveLength(STARTS);
  expect(answers.filter(({ status }) => status === 429)).toHaveLength(2 * STARTS);
});
