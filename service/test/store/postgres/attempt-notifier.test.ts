import { describe, expect, onTestFinished, test } from 'vitest';
import { makeAttemptId, type AttemptId } from '../../../src/values/ids.ts';
import { systemTimer } from '../../../src/platform/runtime.ts';
import type { AttemptNotifier } from '../../../src/platform/coordination/coordination.port.ts';
import {
  PostgresConnection,
  type PostgresValue,
} from '../../../src/store/postgres/connections/connection.ts';
import { PostgresNotifier } from '../../../src/store/postgres/coordination/postgres-notifier.ts';
import { share } from '../../support/at-end.ts';
import { openCuttingProxy } from '../../support/postgres/cutting-proxy.ts';
import { ask, migratedDatabase } from '../../support/postgres/databases.ts';
import { HeldTimer } from '../../support/postgres/held-timer.ts';
import { DEADLINE_MS } from '../../support/postgres/pool.ts';
import { openInstance } from '../../support/postgres/shared-state.ts';

const MANY = 1000;
/** NOTIFY refuses a payload of this many bytes. */
const PAYLOAD_LIMIT = 8000;
const CHANNEL = 'miftah_attempts';
const LISTENERS = `SELECT pid FROM pg_stat_activity
  WHERE datname = current_database() AND query LIKE 'LISTEN%'`;
const END_LISTENERS = `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
  WHERE datname = current_database() AND query LIKE 'LISTEN%'`;

const database = share((atEnd) => migratedDatabase(atEnd));

function attempt(number: number): AttemptId {
  const random = new Uint8Array(10);
  new DataView(random.buffer).setUint32(6, number);
  return makeAttemptId(0, random);
}

function listenAt(notifier: AttemptNotifier) {
  const told: (AttemptId | 'any')[] = [];
  notifier.listen({
    onAttempt: (attemptId) => void told.push(attemptId),
    onAny: () => void told.push('any'),
  });
  return told;
}

async function until(check: () => unknown): Promise<void> {
  await expect.poll(() => check()).toBe(true);
}

const notifierAt = async (url: string) =>
  (await openInstance(url, onTestFinished)).coordination.notifier as PostgresNotifier;

/** A notifier whose statements a test sees; each of them is answered when the test says so. */
function heldNotifier() {
  const sent: string[] = [];
  const answers: (() => void)[] = [];
  const notifier = new PostgresNotifier({
    database: {
      read: async (_name: string, _sql: string, [payload]: readonly PostgresValue[]) => {
        sent.push(String(payload));
        await new Promise<void>((resolve) => answers.push(resolve));
        throw new Error('the database is away');
      },
    },
    instance: 'one',
    connect: () => Promise.reject(new Error('nothing listens here')),
    timer: systemTimer,
    jitter: () => 1,
    deadlineMs: DEADLINE_MS,
    backOffMs: 10,
    maxBackOffMs: 10,
  });
  return { notifier, sent, answerNext: () => answers.shift()?.() };
}

/** A notifier on a connection through which the test can stop what passes. */
async function notifierThroughProxy() {
  const timer = new HeldTimer();
  const proxy = await openCuttingProxy(database(), onTestFinished);
  const notifier = new PostgresNotifier({
    database: { read: () => Promise.reject(new Error('it only listens')) },
    instance: 'listener',
    connect: async () => {
      const connection = new PostgresConnection({ connectionString: proxy.url });
      await connection.connect();
      return connection;
    },
    timer,
    jitter: () => 1,
    deadlineMs: DEADLINE_MS,
    backOffMs: 10,
    maxBackOffMs: 50,
    checkMs: 20,
  });
  onTestFinished(() => notifier.close());
  return { notifier, proxy, timer };
}

describe('the notifier on PostgreSQL', () => {
  test('has no connection before somebody listens, then one, and none after the end', async () => {
    const url = await migratedDatabase();
    const { coordination, store } = await openInstance(url, onTestFinished);
    coordination.notifier.notify(attempt(1));
    await coordination.readTime?.();
    expect(await ask(url, LISTENERS)).toEqual([]);
    const [told] = [listenAt(coordination.notifier), listenAt(coordination.notifier)];
    await until(() => told.includes('any'));
    expect(await ask(url, LISTENERS)).toHaveLength(1);
    await store.close();
    await until(async () => (await ask(url, LISTENERS)).length === 0);
  });

  test('hears again after its connection was ended, and is told that it may have missed notices', async () => {
    const url = await migratedDatabase();
    const [one, other] = await Promise.all([notifierAt(url), notifierAt(url)]);
    const told = listenAt(other);
    await until(() => told.includes('any'));
    told.length = 0;
    await ask(url, END_LISTENERS);
    await until(() => told.includes('any'));
    one.notify(attempt(1));
    await until(() => told.includes(attempt(1)));
  });

  test('finds out that its connection has gone silent', async () => {
    const { notifier, proxy, timer } = await notifierThroughProxy();
    const told = listenAt(notifier);
    await until(() => told.includes('any'));
    told.length = 0;
    proxy.freeze();
    await until(() => timer.waiting(DEADLINE_MS) === 1);
    timer.pass(DEADLINE_MS);
    await until(() => told.includes('any'));
    await ask(database(), 'SELECT pg_notify($1, $2)', [CHANNEL, `other ${attempt(1)}`]);
    await until(() => told.includes(attempt(1)));
  });

  test(`sends ${MANY} notices of a turn in few calls, one at a time, each within the limit`, async () => {
    const { notifier, sent, answerNext } = heldNotifier();
    for (let notice = 0; notice < MANY; notice += 1) {
      notifier.notify(attempt(notice));
      notifier.notify(attempt(0));
    }
    await until(() => sent.length === 1);
    for (let calls = 1; calls < MANY / 200; calls += 1) {
      expect(sent).toHaveLength(calls);
      answerNext();
      await until(() => sent.length === calls + 1);
    }
    expect(Math.max(...sent.map((payload) => payload.length))).toBeLessThan(PAYLOAD_LIMIT);
    const ids = sent.flatMap((payload) => payload.split(' ').slice(1));
    expect(ids).toEqual(Array.from({ length: MANY }, (_, index) => attempt(index)));
  });

  test('keeps a bounded number of notices while the database does not answer', async () => {
    const { notifier, sent, answerNext } = heldNotifier();
    for (let notice = 0; notice < 20 * MANY; notice += 1) notifier.notify(attempt(notice));
    await until(() => {
      answerNext();
      return sent.at(-1)?.includes(attempt(4999)) === true;
    });
    answerNext();
    notifier.notify(attempt(20 * MANY));
    await until(() => sent.at(-1)?.includes(attempt(20 * MANY)) === true);
    expect(sent).toHaveLength(26);
  });

  test('hears of attempts only, whatever others send to its channel', async () => {
    const url = await migratedDatabase();
    const notifier = await notifierAt(url);
    const told = listenAt(notifier);
    await until(() => told.includes('any'));
    const payloads = ['', ' ', '*', 'any any', `other ${'x'.repeat(7000)}`, attempt(1)];
    const sends = payloads.map((payload) =>
      ask(url, 'SELECT pg_notify($1, $2)', [CHANNEL, payload]),
    );
    const flood = `SELECT pg_notify($1, 'other ' || n) FROM generate_series(1, 5000) AS n`;
    await Promise.all([...sends, ask(url, flood, [CHANNEL])]);
    await ask(url, 'SELECT pg_notify($1, $2)', [CHANNEL, `other ; ${attempt(2)} DROP`]);
    await until(() => told.includes(attempt(2)));
    expect(told).toEqual(['any', attempt(2)]);
  });
});
