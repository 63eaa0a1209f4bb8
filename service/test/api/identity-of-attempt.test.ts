import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, it } from 'vitest';
import { AMAL, FAISAL, issuedOf, redeem, startedOf, statusOf } from '../support/service/login.ts';
import type { Headers, Started } from '../support/service/login.ts';
import { callsOf, inScope as of } from '../support/service/in-scopes.ts';
import {
  openTestService,
  shareService,
  type TestService,
} from '../support/service/test-service.ts';

/**
 * Whatever happens to the people while somebody signs in, the attempt never ends as another person:
 * it ends as the one whom it began for or who was named, or it fails.
 */

const shared = shareService({ PUBLIC_URL: 'http://localhost:3000' });
const NUMBER = '1000077701';
const OTHER_NUMBER = '1000077702';
const AT_ONCE = { 'x-simulate': 'approves_at_once' };
/** Approved by a decision, and signed ten seconds later. */
const LATE = { 'x-simulate': 'token_late;after=290' };
const LATE_MS = 11_000;

function inService(service: () => TestService, scope: string) {
  const calls = callsOf(service);
  const headers = of(scope);
  const control = (method: 'POST' | 'PUT' | 'DELETE', path: string, payload?: object) =>
    calls.control(method, path, headers, payload === undefined ? {} : { payload });
  /** Why an attempt has failed. */
  async function reasonOf({ attempt_id }: Started) {
    const { body } = await calls.control('GET', '/attempts', headers);
    const listed = body.data as { id: string; state: string; reason: string | null }[];
    const found = listed.find(({ id }) => id === attempt_id);
    return found?.reason ?? found?.state;
  }

  return {
    put: async (id: string, number: string, more: object = {}) => {
      const row = await calls.newcomer(id, number);
      const answer = await control('PUT', `/people/${id}`, { ...row, ...more });
      expect(answer.status, JSON.stringify(answer.body)).toBe(200);
    },
    remove: async (id: string) => {
      expect((await control('DELETE', `/people/${id}`)).status).toBe(200);
    },
    reset: () => control('POST', '/reset'),
    start: async (number: string, more: Headers = {}) =>
      startedOf(await calls.phone({ ...headers, ...more }, number)),
    approve: async (started: Started, person?: string) => {
      const payload = { decision: 'approve', ...(person !== undefined && { person }) };
      const answer = await control('POST', `/prompts/${started.attempt_id}/decision`, payload);
      expect(answer.status).toBe(200);
    },
    after: (ms: number) => service().clock.advance(ms),
    /** The number of the user, or why there is none. */
    end: async (started: Started) => {
      const status = await statusOf(service(), started);
      if (status !== 'authenticated') return reasonOf(started);
      return issuedOf(await redeem(service(), started)).user.national_id;
    },
  };
}

function attemptScenarios(dataDir: string): readonly unknown[] {
  const database = new DatabaseSync(join(dataDir, 'miftah.db'), { readOnly: true });
  try {
    const rows = database.prepare('SELECT scenario FROM attempts ORDER BY attempt_id').all();
    return rows.map(({ scenario }) => scenario);
  } finally {
    database.close();
  }
}

const MISMATCH = 'provider.mismatch';

describe('a person who was put at run time, and is gone after a reset', () => {
  it('is nobody else, when an outcome approves', async () => {
    const people = inService(shared, 'reset-plan');
    await people.put('p1', NUMBER);
    const started = await people.start(NUMBER, AT_ONCE);
    await people.reset();
    expect(await people.end(started)).toBe(MISMATCH);
  });

  it('is nobody else, when they were named before', async () => {
    const people = inService(shared, 'reset-named');
    await people.put('p1', NUMBER);
    const started = await people.start(NUMBER, LATE);
    await people.approve(started, 'p1');
    await people.reset();
    people.after(LATE_MS);
    expect(await people.end(started)).toBe(MISMATCH);
  });

  it.each([undefined, 'amal'])('is nobody else, when %s is named after it', async (named) => {
    const people = inService(shared, `reset-decided-${named ?? 'nobody'}`);
    await people.put('p1', NUMBER);
    const started = await people.start(NUMBER);
    await people.reset();
    await people.approve(started, named);
    expect(await people.end(started)).toBe(MISMATCH);
  });
});

describe('a person who was put at run time, and is gone after a restart', () => {
  it('is nobody else, approved before it or decided after it', async () => {
    const first = await openTestService();
    const before = inService(() => first, 'restart');
    await before.put('p1', NUMBER);
    const planned = await before.start(NUMBER, AT_ONCE);
    const waits = await before.start(NUMBER);
    await first.close();
    const second = await openTestService({ dataDir: first.dataDir, clock: first.clock });
    const people = inService(() => second, 'restart');
    expect(await people.end(planned)).toBe(MISMATCH);
    await people.approve(waits);
    expect(await people.end(waits)).toBe(MISMATCH);
  });
});

describe('a person who was removed', () => {
  it('is nobody else, when another one has their number then', async () => {
    const people = inService(shared, 'number-again');
    await people.put('p1', NUMBER);
    const planned = await people.start(NUMBER, AT_ONCE);
    const waits = await people.start(NUMBER);
    await people.remove('p1');
    await people.put('q1', NUMBER);
    await people.approve(waits);
    for (const started of [planned, waits]) expect(await people.end(started)).toBe(MISMATCH);
  });

  it('signs in as the one who was named, when another one has their id then', async () => {
    const people = inService(shared, 'id-again');
    await people.put('p1', NUMBER);
    const started = await people.start(NUMBER, LATE);
    await people.approve(started, 'p1');
    await people.remove('p1');
    await people.put('p1', OTHER_NUMBER);
    people.after(LATE_MS);
    expect(await people.end(started)).toBe(NUMBER);
  });
});

describe('an attempt for a number that nobody has', () => {
  it('is that of who was the default when it began', async () => {
    const people = inService(shared, 'default');
    const [before, given] = [await people.start(NUMBER, AT_ONCE), await people.start(NUMBER)];
    await people.put('e', OTHER_NUMBER, { default: true });
    const after = await people.start(NUMBER, AT_ONCE);
    await people.put('n', NUMBER);
    expect(await people.end(before)).toBe(AMAL);
    await people.approve(given);
    expect(await people.end(given)).toBe(AMAL);
    expect(await people.end(after)).toBe(OTHER_NUMBER);
  });

  it('is nobody’s, when that default is gone', async () => {
    const people = inService(shared, 'default-gone');
    await people.put('e', OTHER_NUMBER, { default: true });
    const started = await people.start(NUMBER, AT_ONCE);
    await people.reset();
    expect(await people.end(started)).toBe(MISMATCH);
  });
});

describe('a sign-in by browser', () => {
  it('that an outcome approves is that of who was the default when it began', async () => {
    const headers = { ...of('browser'), ...AT_ONCE };
    const people = inService(shared, 'browser');
    await people.put('e', OTHER_NUMBER, { default: true });
    const answers = [];
    for (let one = 0; one < 2; one += 1) {
      answers.push(startedOf(await shared().post('/start', { locale: 'en' }, headers)));
    }
    const [first, second] = answers;
    if (first === undefined || second === undefined) throw new Error('not started');
    await people.put('n', NUMBER, { default: true });
    await shared().get(`/callback?state=${first.attempt_id}`);
    expect(await people.end(first)).toBe(OTHER_NUMBER);
    await people.reset();
    await people.approve(second);
    expect(await people.end(second)).toBe(MISMATCH);
  });
});

describe('what an attempt keeps of a person', () => {
  it('is no number, and nothing at all for the people of the simulator', async () => {
    const service = await openTestService();
    const people = inService(() => service, 'default');
    await people.put('p1', NUMBER);
    await people.start(NUMBER);
    people.after(1);
    await people.start(FAISAL);
    await service.close();
    const kept = attemptScenarios(service.dataDir);
    expect(kept).toHaveLength(2);
    expect(kept[0]).toMatch(/^default @p1:[\w-]{22}$/);
    expect(kept[1]).toBeNull();
  });
});
