import { expect, test } from 'vitest';
import { SystemClock } from '../../../src/platform/runtime.ts';
import { ask, emptyDatabase } from '../../support/postgres/databases.ts';
import { startPhone, statusOf } from '../../support/service/login.ts';
import { openTestService } from '../../support/service/test-service.ts';

const MINUTE_MS = 60_000;
const SECRET_KEY = 'ab'.repeat(32);

/** An instance on a machine whose clock is wrong. */
async function instanceOn(url: string, wrongMs: number) {
  const clock = new SystemClock({
    wall: () => performance.timeOrigin + performance.now() + wrongMs,
    monotonic: () => performance.now(),
  });
  const settings = { DATABASE_URL: url, SECRET_KEY, RATE_LIMITS: 'off' };
  return openTestService({ settings, parts: { clock, timekeeper: clock } });
}

test('two instances whose machines are minutes apart agree about what has expired', async () => {
  const url = await emptyDatabase();
  const early = await instanceOn(url, -4 * MINUTE_MS);
  const late = await instanceOn(url, 4 * MINUTE_MS);
  const started = await startPhone(early);
  const expiresIn = (leftMs: number) =>
    ask(
      url,
      `UPDATE attempts SET expires_at =
        (extract(epoch FROM clock_timestamp()) * 1000)::bigint + ${leftMs}`,
    );
  const both = () => Promise.all([early, late].map((one) => statusOf(one, started)));
  // On the clock of the one machine it has expired, and on that of the other it has minutes left.
  await expiresIn(3 * MINUTE_MS);
  expect(await both()).toEqual(['pending', 'pending']);
  await expiresIn(0);
  expect(await both()).toEqual(['expired', 'expired']);
});

test('an instance says that the clock of its machine is wrong, and stays ready', async () => {
  const url = await emptyDatabase();
  const right = await instanceOn(url, 0);
  const wrong = await instanceOn(url, 4 * MINUTE_MS);
  const readiness = async (one: typeof right) =>
    (await one.request({ method: 'GET', url: '/readyz' })).json<unknown>();
  expect(await readiness(right)).toEqual({ status: 'ready' });
  expect(await readiness(wrong)).toMatchObject({
    status: 'ready',
    warnings: [{ check: 'clock.machine' }],
  });
});
