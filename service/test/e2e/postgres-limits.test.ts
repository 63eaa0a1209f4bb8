import { expect, test, vi } from 'vitest';
import { systemTimer } from '../../src/platform/timer.ts';
import { emptyDatabase } from '../support/postgres/databases.ts';
import { clientForTest } from '../support/programs/for-test.ts';
import { createFakeClock } from '../support/service/fake-clock.ts';
import { openListening } from '../support/service/listening-service.ts';

const SETTINGS = { SECRET_KEY: 'ab'.repeat(32), RATE_LIMITS: 'on' };
/** The quota of starts for an address. */
const STARTS = 20;
/** After it, an instance whose database is late counts by itself. */
const LIMIT_MS = 300;
/** On a busy machine the database may be late, and that is not what is counted here. */
const PATIENT_MS = 240_000;
const ALONE = 'this instance counts requests by itself';

test('the limits of an address are counted over all instances', async () => {
  const after = systemTimer.after.bind(systemTimer);
  vi.spyOn(systemTimer, 'after').mockImplementation((ms, work) =>
    after(ms === LIMIT_MS ? PATIENT_MS : ms, work),
  );
  const settings = { ...SETTINGS, DATABASE_URL: await emptyDatabase() };
  // Time stands still, so that no quota grows back.
  const parts = { clock: createFakeClock(Date.now()) };
  const services = await Promise.all([1, 2, 3].map(() => openListening({ settings, parts })));
  const answers = await Promise.all(
    services
      .map(clientForTest)
      .flatMap((client) =>
        Array.from({ length: STARTS }, () => client.post('/start', { locale: 'en' })),
      ),
  );
  const statuses = answers.map(({ status }) => status);
  expect(services.filter((one) => one.log().includes(ALONE))).toEqual([]);
  expect(statuses.filter((status) => status === 200)).toHaveLength(STARTS);
  expect(statuses.filter((status) => status === 429)).toHaveLength(2 * STARTS);
});
