import { expect, onTestFinished, test, vi } from 'vitest';
import type { RateLimiter } from '../../../src/platform/coordination/coordination.port.ts';
import { sampleAttempt, START } from '../../conformance/samples.ts';
import { ask, migratedDatabase } from '../../support/postgres/databases.ts';
import { openCuttingProxy } from '../../support/postgres/cutting-proxy.ts';
import { HeldTimer } from '../../support/postgres/held-timer.ts';
import { withConnection } from '../../support/postgres/connection.ts';
import { RATE_WINDOW_MS } from '../../../src/values/limits.ts';
import { openInstance } from '../../support/postgres/shared-state.ts';
import { DEADLINE_MS, refusalOf } from '../../support/postgres/pool.ts';
import { WAIT_MS } from '../../support/wait-ms.ts';

const POLICY = { name: 'start', quota: 20 };
/** More than the calls that any instance makes, so that it takes all of them to fill a window. */
const BROAD = { name: 'start', quota: 40 };
const RACERS = 64;
const ADDRESSES = 10;
/** The deadline of the limiter; half of the one of an operation is longer. */
const LIMIT_MS = 40_000;
const LIMITS = { limitMs: LIMIT_MS };
const PATIENT = { limitMs: 100_000 };

const atEnd = onTestFinished;

async function openLimiter(url: string): Promise<RateLimiter> {
  return (await openInstance(url, atEnd)).coordination.requestLimits;
}

function openThree(url: string): Promise<RateLimiter[]> {
  return Promise.all(Array.from({ length: 3 }, () => openLimiter(url)));
}

test(`of ${RACERS} racers at three instances exactly the quota is allowed, for each of ${ADDRESSES} keys`, async () => {
  const limiters = await openThree(await migratedDatabase());
  const race = async (address: number) => {
    const calls = limiters.flatMap((limiter, index) =>
      Array.from({ length: index === 0 ? RACERS / 2 : RACERS / 4 }, () =>
        limiter.consume(BROAD, `address ${address}`, START),
      ),
    );
    const allowed = (await Promise.all(calls)).filter((standing) => standing.allowed);
    return allowed.map(({ remaining }) => remaining).toSorted((one, other) => one - other);
  };
  const everyPlace = Array.from({ length: BROAD.quota }, (_, place) => place);
  const places = await Promise.all(Array.from({ length: ADDRESSES }, (_, index) => race(index)));
  expect(places).toEqual(places.map(() => everyPlace));
});

const consumeOne = (limiter: RateLimiter) => limiter.consume(POLICY, 'one address', START);

const STATEMENTS_THAT_WAIT = `SELECT count(*)::int AS waiting FROM pg_stat_activity
  WHERE datname = current_database() AND wait_event_type = 'Lock'`;

test('instances whose statements wait for each other count on from what the one before has written', async () => {
  const url = await migratedDatabase();
  const limiters = await openThree(url);
  for (const limiter of limiters) await consumeOne(limiter);
  const racing = await withConnection(url, async (connection) => {
    const say = (text: string) => connection.query({ name: null, sql: text, values: [] });
    await say('BEGIN');
    await say('UPDATE shared_rate_windows SET calls = calls');
    const calls = limiters.map((limiter) => consumeOne(limiter));
    await vi.waitFor(
      async () => expect(await ask(url, STATEMENTS_THAT_WAIT)).toEqual([{ waiting: 3 }]),
      { timeout: WAIT_MS },
    );
    await say('COMMIT');
    return calls;
  });
  const places = (await Promise.all(racing)).map(({ remaining }) => remaining);
  expect(places.toSorted((one, other) => one - other)).toEqual([14, 15, 16]);
});

test('racers with many keys in different orders do not stop each other', async () => {
  const limiters = await openThree(await migratedDatabase());
  const keys = Array.from({ length: 50 }, (_, index) => `address ${index}`);
  const calls = limiters.flatMap((limiter, index) =>
    Array.from({ length: 8 }, (_, turn) =>
      ((index + turn) % 2 === 0 ? keys : keys.toReversed()).map((key) =>
        limiter.consume(POLICY, key, START),
      ),
    ).flat(),
  );
  const standings = await Promise.all(calls);
  expect(standings.filter(({ allowed }) => allowed)).toHaveLength(keys.length * POLICY.quota);
});

test('a full window costs the database nothing more until it has ended', async () => {
  const url = await migratedDatabase();
  const limiter = await openLimiter(url);
  const consume = () => limiter.consume({ name: 'start', quota: 2 }, 'one address', START);
  for (let call = 0; call < 10; call += 1) await consume();
  expect(await ask(url, 'SELECT calls FROM shared_rate_windows')).toEqual([{ calls: '2' }]);
  expect(await consume()).toMatchObject({ allowed: false, remaining: 0, endsAt: START + 60_000 });
});

test('neither addresses nor limits can be read in the table', async () => {
  const url = await migratedDatabase();
  const limiter = await openLimiter(url);
  await limiter.consume(POLICY, '198.51.100.7', START);
  const rows = await ask<{ name: string }>(url, 'SELECT name FROM shared_rate_windows');
  expect(rows.map(({ name }) => /^[\w-]{43}$/.test(name))).toEqual([true]);
});

test('windows that have ended are deleted as new ones are written', async () => {
  const url = await migratedDatabase();
  const limiter = await openLimiter(url);
  await ask(
    url,
    `INSERT INTO shared_rate_windows SELECT 'old ' || n, 0, 1, clock_timestamp() - interval '1 hour'
     FROM generate_series(1, 600) AS n`,
  );
  const written = Array.from({ length: 600 }, (_, index) =>
    limiter.consume(POLICY, `address ${index}`, START),
  );
  await Promise.all(written);
  const left = "SELECT count(*) FROM shared_rate_windows WHERE name LIKE 'old %'";
  await expect.poll(() => ask(url, left)).toEqual([{ count: '0' }]);
  expect(await ask(url, 'SELECT count(*) FROM shared_rate_windows')).toEqual([{ count: '600' }]);
});

test('while the database is silent each instance counts alone, in time, and then together again', async () => {
  const url = await migratedDatabase();
  const proxy = await openCuttingProxy(url, atEnd);
  const told: string[] = [];
  const timer = new HeldTimer();
  const { coordination } = await openInstance(proxy.url, atEnd, LIMITS, {
    timer,
    onWarning: (text) => void told.push(text),
  });
  const { requestLimits, unknownIds } = coordination;
  await consumeOne(requestLimits);
  expect(await consumeOne(requestLimits)).toMatchObject({ remaining: 18 });
  proxy.freeze();
  const late = consumeOne(requestLimits);
  timer.pass(LIMIT_MS);
  // On from what the database has said, so that what was told before holds.
  expect(await late).toMatchObject({ allowed: true, remaining: 17 });
  // Nothing passes now: this one does not wait.
  expect(await consumeOne(requestLimits)).toMatchObject({ allowed: true, remaining: 16 });
  expect(told.filter((text) => text.includes('by itself'))).toHaveLength(1);
  const askAgain = async () => {
    timer.pass(DEADLINE_MS);
    await requestLimits.peek(POLICY, 'a', START);
    expect(told.at(-1)).toContain('together');
  };
  await vi.waitFor(askAgain, { timeout: WAIT_MS });
  // Two calls before the silence, and perhaps the late one, which the server may have run.
  expect((await requestLimits.peek(POLICY, 'one address', START)).remaining).toBeOneOf([17, 18]);
  // And what was told meanwhile holds too.
  expect(await consumeOne(requestLimits)).toMatchObject({ allowed: true, remaining: 15 });
  expect((await unknownIds.peek(POLICY, 'a', START)).allowed).toBe(true);
});

test('with the database away, limits go on, and what has to be shared is refused', async () => {
  const nowhere = 'postgres://nobody:nothing@127.0.0.1:9/nowhere';
  // No deadline comes: who is refused at once does not wait.
  const held = { timer: new HeldTimer() };
  const { coordination } = await openInstance(nowhere, atEnd, LIMITS, held);
  const { requestLimits, unknownIds, attemptLock, statusPolls } = coordination;
  const id = sampleAttempt().attemptId;
  const calls = Array.from({ length: RACERS }, () => requestLimits.consume(POLICY, 'a', START));
  const standings = await Promise.all(calls);
  expect(standings.filter(({ allowed }) => allowed)).toHaveLength(POLICY.quota);
  const refused = await Promise.all(
    [
      unknownIds.consume(POLICY, 'a', START),
      unknownIds.peek(POLICY, 'a', START),
      attemptLock.run(id, async () => 'ran'),
      attemptLock.settled(id),
      statusPolls.begin(id, null),
      statusPolls.claim(id, START),
    ].map((call) => refusalOf(call)),
  );
  expect(new Set(refused)).toEqual(new Set(['storage.unavailable']));
});

const MOVE_ENDS = (ms: number) => `UPDATE shared_rate_windows SET ends_at = ends_at - ${ms}`;
const FULL = { name: 'start', quota: 1 };

/** Instances whose clocks, which follow the database's, are wrong by so much. */
function openSkewed(url: string, skews: readonly number[]) {
  return Promise.all(
    skews.map(async (skew) => {
      const clock = { now: () => Date.now() + skew };
      const { coordination } = await openInstance(url, atEnd, { ...PATIENT, clock });
      const { requestLimits } = coordination;
      const consume = (key: string) => requestLimits.consume(FULL, key, clock.now());
      return { clock, consume };
    }),
  );
}

test.each([
  [700, -700],
  [-700, 700],
])(
  'whoever waits as long as told is allowed, and not before: clocks are wrong by %i and %i',
  async (...wrong) => {
    const url = await migratedDatabase();
    const [first, one, other] = await openSkewed(url, [0, ...wrong]);
    if (first === undefined || one === undefined || other === undefined) {
      throw new Error('three were opened');
    }
    for (const leftMs of [3000]) {
      const key = `address ${leftMs}`;
      expect(await first.consume(key)).toMatchObject({ allowed: true, remaining: 0 });
      await ask(url, MOVE_ENDS(RATE_WINDOW_MS - leftMs));
      const told = await one.consume(key);
      const from = performance.now();
      const waitMs = told.endsAt - one.clock.now();
      expect(told.allowed).toBe(false);
      expect(waitMs).toBeLessThanOrEqual(leftMs + 1);
      expect((await other.consume(key)).allowed).toBe(false);
      await expect
        .poll(() => performance.now() - from, { interval: 1, timeout: 60_000 })
        .toBeGreaterThanOrEqual(waitMs);
      expect((await other.consume(key)).allowed).toBe(true);
    }
  },
);
