import { expect, test, vi } from 'vitest';
import { systemTimer } from '../../src/platform/runtime.ts';
import { emptyDatabase } from '../support/postgres/databases.ts';
import { toldLimit } from '../support/limits/told-limits.ts';
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

function patiently(): typeof systemTimer.after {
  const after = systemTimer.after.bind(systemTimer);
  return (ms, work) => after(ms === LIMIT_MS ? PATIENT_MS : ms, work);
}

test('the limits of an address are counted over all instances', async () => {
  const after = patiently();
  vi.spyOn(systemTimer, 'after').mockImplementation(after);
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

/** Three instances with one database, and a clock that stands still but when it is moved. */
async function openThree() {
  const settings = { ...SETTINGS, DATABASE_URL: await emptyDatabase() };
  const clock = createFakeClock(Date.now());
  const services = await Promise.all(
    [1, 2, 3].map(() => openListening({ settings, parts: { clock } })),
  );
  const clients = services.map(clientForTest);
  let asked = 0;
  /** Each request goes to the next instance. */
  const start = async () => {
    const client = clients[(asked += 1) % clients.length];
    const answer = await client?.post('/start', { locale: 'en' });
    expect(services.filter((one) => one.log().includes(ALONE))).toEqual([]);
    return { status: answer?.status, headers: answer?.headers ?? {} };
  };
  return { clock, start };
}

test('a client that is led to another instance each time may do what it was told, and no more', async () => {
  const after = patiently();
  vi.spyOn(systemTimer, 'after').mockImplementation(after);
  const { clock, start } = await openThree();
  for (let window = 0; window < 3; window += 1) {
    for (let left = STARTS - 1; left >= 0; left -= 1) {
      const { status, headers } = await start();
      expect([status, toldLimit(headers).remaining]).toEqual([200, left]);
      clock.advance(left === 0 ? 0 : 2_345);
    }
    for (const _ of [1, 2, 3]) expect((await start()).status).toBe(429);
    const { resetMs } = toldLimit((await start()).headers);
    clock.advance(resetMs - 1_001);
    expect((await start()).status).toBe(429);
    clock.advance(1_001);
  }
});
