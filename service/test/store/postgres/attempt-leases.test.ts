import { expect, onTestFinished, test } from 'vitest';
import type { AttemptLock } from '../../../src/platform/coordination/coordination.port.ts';
import { sampleAttempt } from '../../conformance/samples.ts';
import { ask, migratedDatabase } from '../../support/postgres/databases.ts';
import { openInstance } from '../../support/postgres/shared-state.ts';
import { refusalOf } from '../../support/postgres/pool.ts';
import { WAIT_MS } from '../../support/wait-ms.ts';

const LEASE_MS = 800;
const SHORT = { leaseMs: LEASE_MS, waitMs: WAIT_MS };
const LONG = { leaseMs: 600_000, waitMs: WAIT_MS };
const ENDS_AT = 'SELECT ends_at::text AS ends FROM shared_attempt_leases';
const IS_OVER = 'SELECT clock_timestamp() >= $1::timestamptz AS over';
const atEnd = onTestFinished;

/** Work that runs until it is told to end. */
async function hold(lock: AttemptLock, id: ReturnType<typeof anAttempt>) {
  const begun = Promise.withResolvers<void>();
  const gate = Promise.withResolvers<void>();
  const ended = lock.run(id, async () => {
    begun.resolve();
    await gate.promise;
  });
  // Whatever a test does with it, it is waited for.
  ended.catch(() => undefined);
  await begun.promise;
  return { end: gate.resolve, ended };
}

const anAttempt = () => sampleAttempt().attemptId;

test('the lock of an instance that has died passes on when its lease ends, and not before', async () => {
  const url = await migratedDatabase();
  const dying = await openInstance(url, atEnd, SHORT);
  const survivor = await openInstance(url, atEnd, SHORT);
  const id = anAttempt();
  await hold(dying.coordination.attemptLock, id);
  const [lease] = await ask<{ ends: string }>(url, ENDS_AT);
  await dying.store.close();
  // By the server's clock, which a slow machine can't make earlier.
  const isOver = async () => (await ask(url, IS_OVER, [lease?.ends]))[0];
  const settled = survivor.coordination.attemptLock.settled(id).then(isOver);
  const over = await survivor.coordination.attemptLock.run(id, isOver);
  expect([over, await settled]).toEqual([{ over: true }, { over: true }]);
});

test('work that says how long it takes has no longer lease', async () => {
  const url = await migratedDatabase();
  const { coordination } = await openInstance(url, atEnd, LONG);
  const within = `SELECT ends_at <= clock_timestamp() + interval '5 seconds' AS "isSo" FROM shared_attempt_leases`;
  const isShort = (longestMs: number) =>
    coordination.attemptLock.run(anAttempt(), () => ask(url, within), longestMs);
  expect(await isShort(5_000)).toEqual([{ isSo: true }]);
  expect(await isShort(900_000)).toEqual([{ isSo: false }]);
});

test('work that outlives its lease does not end the lease of the next one', async () => {
  const url = await migratedDatabase();
  const [slow, next, third] = await Promise.all([
    openInstance(url, atEnd, SHORT),
    openInstance(url, atEnd, LONG),
    openInstance(url, atEnd, LONG),
  ]);
  const id = anAttempt();
  const first = await hold(slow.coordination.attemptLock, id);
  const second = await hold(next.coordination.attemptLock, id);
  first.end();
  await first.ended;
  let isOver = false;
  const waiting = third.coordination.attemptLock.run(id, async () => isOver);
  await third.coordination.attemptLock.run(anAttempt(), async () => undefined);
  isOver = true;
  second.end();
  await expect(waiting).resolves.toBe(true);
});

test('work holds no connection: one is enough for any number of attempts', async () => {
  const url = await migratedDatabase();
  const { coordination } = await openInstance(url, atEnd, LONG, { connections: 1 });
  const works = await Promise.all(
    Array.from({ length: 20 }, () => hold(coordination.attemptLock, anAttempt())),
  );
  expect(await ask(url, 'SELECT count(*) FROM shared_attempt_leases')).toEqual([{ count: '20' }]);
  for (const { end } of works) end();
  await Promise.all(works.map(({ ended }) => ended));
  expect(await ask(url, 'SELECT count(*) FROM shared_attempt_leases')).toEqual([{ count: '0' }]);
});

test('L-27: work waits for another instance for a bounded time', async () => {
  const url = await migratedDatabase();
  const one = await openInstance(url, atEnd, LONG);
  const other = await openInstance(url, atEnd, { ...LONG, waitMs: 100 });
  const id = anAttempt();
  const { end, ended } = await hold(one.coordination.attemptLock, id);
  const { attemptLock } = other.coordination;
  expect(await refusalOf(attemptLock.run(id, async () => 'ran'))).toBe('server.overloaded');
  expect(await refusalOf(attemptLock.settled(id))).toBe('server.overloaded');
  end();
  await ended;
  await expect(attemptLock.run(id, async () => 'ran')).resolves.toBe('ran');
});
