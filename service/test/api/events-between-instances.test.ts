import { escapeIdentifier } from 'pg';
import { beforeEach, describe, expect, test, vi } from 'vitest';
import type { Timer } from '../../src/platform/runtime.port.ts';
import { share } from '../support/at-end.ts';
import { ask, emptyDatabase } from '../support/postgres/databases.ts';
import { sharedServer } from '../support/postgres/door.ts';
import {
  complete,
  dataOf,
  startPhone,
  startRedirect,
  type Started,
} from '../support/service/login.ts';
import { openTestService, type Answer, type TestService } from '../support/service/test-service.ts';
import { statusesIn, until, watch } from '../support/service/watch-status.ts';
import { WAIT_MS } from '../support/wait-ms.ts';

const SETTINGS = { SECRET_KEY: 'ab'.repeat(32), RATE_LIMITS: 'off' };
/** Of those who wait, without a sign of a change: see wait-for-end.flow.ts. */
const FIRST_PAUSE_MS = 1000;
const SOON = { timeout: WAIT_MS, interval: 20 };
const LISTENERS = `SELECT pid FROM pg_stat_activity
  WHERE datname = current_database() AND query LIKE 'LISTEN%'`;

let pauses = 0;

/** No pause ever ends: whoever waits reads again only when a sign of a change has come. */
const endless: Timer = {
  after(ms) {
    if (ms === FIRST_PAUSE_MS) pauses += 1;
    return () => undefined;
  },
};

/** Resolves when the second instance is told what the first one writes. */
async function hearsOf(other: TestService, one: TestService): Promise<void> {
  const started = await startPhone(other);
  void longPoll(one, started);
  // A pause has ended: when its connection listens, an instance reads for all who wait.
  await until(() => pauses > 1);
  await complete(other, started);
}

function longPoll(service: TestService, { attempt_id, attempt_token }: Started): Promise<Answer> {
  return service.get(`/status/${attempt_id}?wait=25`, {
    'x-provider-attempt-token': attempt_token,
  });
}

/** Two instances on one database. At the first one nobody reads without a sign of a change. */
const opened = share(async (atEnd) => {
  const url = await emptyDatabase(atEnd);
  const settings = { ...SETTINGS, DATABASE_URL: url };
  const one = await openTestService({ settings, atEnd, parts: { timer: endless } });
  await one.app.listen({ host: '127.0.0.1', port: 0 });
  const other = await openTestService({ settings, atEnd });
  await hearsOf(other, one);
  return { url, one, other };
});

/** The process of the server that tells the first instance. */
async function listenerOf(url: string): Promise<number | undefined> {
  return vi.waitFor(async () => {
    const found = await ask<{ pid: number }>(url, LISTENERS);
    expect(found).toHaveLength(1);
    return found[0]?.pid;
  }, SOON);
}

/** Nobody can connect to the database any more, until the returned function is called. */
async function closeDoor(url: string): Promise<() => Promise<unknown>> {
  const server = await sharedServer();
  const database = escapeIdentifier(new URL(url).pathname.slice(1));
  const set = (may: boolean) =>
    ask(server.url, `ALTER DATABASE ${database} ALLOW_CONNECTIONS ${String(may)}`);
  await set(false);
  return () => set(true);
}

describe('an instance that others tell of their changes', () => {
  beforeEach(() => {
    pauses = 0;
  });

  test.each([
    { flow: 'phone', start: startPhone },
    { flow: 'redirect', start: startRedirect },
  ])('ends a stream of the $flow flow with the first read after the change', async ({ start }) => {
    const { one, other } = opened();
    const started = await start(one);
    const stream = await watch(one, started);
    await until(() => statusesIn(stream.text()).length === 1);
    await complete(other, started);
    await until(() => statusesIn(stream.text()).length === 2);
    expect(statusesIn(stream.text())).toEqual(['pending', 'authenticated']);
    expect(pauses).toBe(1);
  });

  test('shares the time with them, so nobody can move it', async () => {
    const { one } = opened();
    const answer = await one.app.inject({
      method: 'POST',
      url: '/simulator/clock',
      payload: { advance: '5m' },
    });
    expect(answer.statusCode).toBe(409);
    expect(answer.json()).toMatchObject({ code: 'clock.shared' });
  });

  test('answers a long poll', async () => {
    const { one, other } = opened();
    const started = await startPhone(other);
    const polled = longPoll(one, started);
    let isAnswered = false;
    void polled.then(() => (isAnswered = true));
    await until(() => pauses > 0);
    await complete(other, started);
    await until(() => isAnswered);
    expect(dataOf(await polled)).toMatchObject({ status: 'authenticated' });
  });

  test('reads again after its connection was lost: what changed meanwhile was not told', async () => {
    const { url, one, other } = opened();
    const started = await startRedirect(other);
    const stream = await watch(one, started);
    await until(() => statusesIn(stream.text()).length === 1);
    const listener = await listenerOf(url);
    const openDoor = await closeDoor(url);
    try {
      await ask((await sharedServer()).url, 'SELECT pg_terminate_backend($1)', [listener]);
      await complete(other, started);
    } finally {
      await openDoor();
    }
    await until(() => statusesIn(stream.text()).length === 2);
    expect(statusesIn(stream.text())).toEqual(['pending', 'authenticated']);
  });
});
