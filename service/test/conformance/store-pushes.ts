import { expect, test } from 'vitest';
import type { AttemptRecord } from '../../src/attempt/attempt.ts';
import type { Digest } from '../../src/values/secret.ts';
import { PUSH_BUDGET, type PushBudget } from '../../src/attempt/start/push-budget.ts';
import { DAY_MS, MINUTE_MS, type Ms } from '../../src/values/time.ts';
import type { PushWish, Store } from '../../src/store/ports/store.port.ts';
import { authentication, digestNamed, nextSerial, sampleAttempt, START } from './samples.ts';
import { withStore, type OpenStore } from './store-under-test.ts';

const RACERS = 64;
const ENOUGH = { quota: 1_000_000, lengthMs: MINUTE_MS };

/** No limits, except those that a test sets. */
const NO_LIMIT: PushBudget = { person: [], client: ENOUGH, service: ENOUGH, coolDownMs: 0 };

function onePersonBudget(quota: number, lengthMs: Ms): PushBudget {
  return { ...NO_LIMIT, person: [{ quota, lengthMs }] };
}

/** A push of an attempt that the store does not know, so that only quotas can refuse it. */
function wish(changes: Partial<PushWish> = {}): PushWish {
  return {
    attemptId: sampleAttempt().attemptId,
    personDigest: changes.personDigest ?? somebody(),
    client: 'app',
    at: START,
    budget: NO_LIMIT,
    ...changes,
  };
}

/** Four pushes to a person, and two of them from this client. */
function ofOneClient(client: string): PushBudget {
  const person = [
    { quota: 4, lengthMs: 100 },
    { quota: 2, lengthMs: 100, client },
  ];
  return { ...NO_LIMIT, person };
}

function somebody(): Digest {
  return digestNamed(`person ${nextSerial()}`);
}

/** A new person and a new client. */
function strangers() {
  return { personDigest: somebody(), client: `app ${nextSerial()}` };
}

export function pushTests(open: OpenStore): void {
  raceTests(open);
  windowTests(open);
  pendingTests(open);
  forgetTests(open);
  withdrawTests(open);
  otherKeyTests(open);
}

function raceTests(open: OpenStore): void {
  const shared = { personDigest: digestNamed('person'), client: 'app' };
  const four = { quota: 4, lengthMs: MINUTE_MS };

  test.each([
    [
      'of one person',
      { person: [four] },
      () => ({ ...strangers(), personDigest: shared.personDigest }),
    ],
    ['of one client', { client: four }, () => ({ ...strangers(), client: shared.client })],
    ['of the whole service', { service: four }, strangers],
  ])(`S-50: ${RACERS} wishes %s at once never exceed the quota`, (_, limits, parties) =>
    withStore(open, async (store) => {
      const budget = { ...NO_LIMIT, ...limits };
      const wishes = Array.from({ length: RACERS }, () => wish({ ...parties(), budget }));
      const admitted = await Promise.all(wishes.map((one) => store.admitPush(one)));
      expect(admitted.filter(Boolean)).toHaveLength(four.quota);
    }),
  );

  test(`S-50, S-51: of ${RACERS} attempts of one person at once one gets its push`, () =>
    withStore(open, async (store) => {
      const attempts = Array.from({ length: RACERS }, () => sampleAttempt());
      await Promise.all(attempts.map((attempt) => store.insertAttempt(attempt)));
      const admitted = await Promise.all(
        attempts.map(({ attemptId }) =>
          store.admitPush(wish({ ...shared, attemptId, budget: PUSH_BUDGET })),
        ),
      );
      expect(admitted.filter(Boolean)).toHaveLength(1);
    }));

  test('S-50: a refused wish counts nothing', () =>
    withStore(open, async (store) => {
      const budget = { ...NO_LIMIT, person: [{ quota: 1, lengthMs: 10 }], client: four };
      const personDigest = somebody();
      expect(await store.admitPush(wish({ personDigest, budget }))).toBe(true);
      for (let time = 0; time < 10; time += 1) {
        expect(await store.admitPush(wish({ personDigest, budget, at: START + time }))).toBe(false);
      }
      expect(await store.admitPush(wish({ personDigest, budget, at: START + 10 }))).toBe(true);
      expect(await admittedInARow(store, { budget, at: START + 10 })).toBe(four.quota - 2);
    }));
}

function windowTests(open: OpenStore): void {
  test('S-51: a push leaves its window at the end of it, not before', () =>
    withStore(open, async (store) => {
      const personDigest = somebody();
      const budget = onePersonBudget(2, 100);
      const ask = (ms: Ms) => store.admitPush(wish({ personDigest, budget, at: START + ms }));
      expect([await ask(0), await ask(60), await ask(60)]).toEqual([true, true, false]);
      expect([await ask(99), await ask(100), await ask(100)]).toEqual([false, true, false]);
      expect([await ask(159), await ask(160), await ask(160)]).toEqual([false, true, false]);
    }));

  test('S-51: every window of the person counts by itself', () =>
    withStore(open, async (store) => {
      const budget = { ...NO_LIMIT, person: PUSH_BUDGET.person };
      const personDigest = somebody();
      const times = [0, 1, 2, 3, 10, 11, 12, 20, 21, 22, 30, 40, 24 * 60 - 1, 24 * 60];
      const admitted = [];
      for (const minutes of times) {
        const at = START + minutes * MINUTE_MS;
        if (await store.admitPush(wish({ personDigest, budget, at }))) admitted.push(minutes);
      }
      expect(admitted).toEqual([0, 1, 2, 10, 11, 12, 20, 21, 22, 30, 24 * 60]);
    }));

  test('S-51: a window of the person and one client counts the pushes of that client alone', () =>
    withStore(open, async (store) => {
      const personDigest = somebody();
      const ask = (client: string, ms: Ms) =>
        store.admitPush(
          wish({ personDigest, client, budget: ofOneClient(client), at: START + ms }),
        );
      expect([await ask('one', 0), await ask('one', 1), await ask('one', 2)]).toEqual([
        true,
        true,
        false,
      ]);
      expect([await ask('two', 3), await ask('two', 4), await ask('three', 5)]).toEqual([
        true,
        true,
        false,
      ]);
      expect([await ask('one', 99), await ask('one', 100)]).toEqual([false, true]);
    }));

  test('S-51: a client’s quota is its own, and the service’s is everybody’s', () =>
    withStore(open, async (store) => {
      const client = { quota: 3, lengthMs: 100 };
      const budget = { ...NO_LIMIT, client, service: { quota: 5, lengthMs: 200 } };
      expect(await admittedInARow(store, { budget, client: 'one' })).toBe(3);
      expect(await admittedInARow(store, { budget, client: 'two' })).toBe(2);
      expect(await admittedInARow(store, { budget, client: 'one', at: START + 100 })).toBe(0);
      expect(await admittedInARow(store, { budget, client: 'one', at: START + 200 })).toBe(3);
    }));

  test('S-51: client and service have their quota back at the end of the window', () =>
    withStore(open, async (store) => {
      const four = { quota: 4, lengthMs: 100 };
      const spent = {
        client: { ...NO_LIMIT, client: four },
        service: { ...NO_LIMIT, service: four },
      };
      for (const [client, budget] of Object.entries(spent)) {
        const ask = (at: Ms) => admittedInARow(store, { client, budget, at });
        const begin = START + 1000 * nextSerial();
        expect([await ask(begin), await ask(begin + 99), await ask(begin + 100)]).toEqual([
          4, 0, 4,
        ]);
      }
    }));

  test('S-17: a push goes when it left the longest window before the bound, not at it', () =>
    withStore(open, async (store) => {
      const budget = onePersonBudget(1, DAY_MS);
      const personDigest = somebody();
      // Much later, with a window that would still count the push if it existed.
      const again = { personDigest, at: START + DAY_MS, budget: onePersonBudget(1, 2 * DAY_MS) };
      expect(await store.admitPush(wish({ personDigest, budget }))).toBe(true);
      await store.purge({ expiredBefore: START + DAY_MS, redeemedBefore: 0, limit: 10 });
      expect(await store.admitPush(wish(again))).toBe(false);
      await store.purge({ expiredBefore: START + DAY_MS + 1, redeemedBefore: 0, limit: 0 });
      expect(await store.admitPush(wish(again))).toBe(false);
      await store.purge({ expiredBefore: START + DAY_MS + 1, redeemedBefore: 0, limit: 10 });
      expect(await store.admitPush(wish(again))).toBe(true);
    }));
}

function pendingTests(open: OpenStore): void {
  const COOL_DOWN_MS = 2 * MINUTE_MS;
  const budget = { ...NO_LIMIT, coolDownMs: COOL_DOWN_MS };

  async function pushed(store: Store, personDigest: Digest): Promise<AttemptRecord> {
    const attempt = sampleAttempt();
    await store.insertAttempt(attempt);
    const { attemptId } = attempt;
    expect(await store.admitPush(wish({ attemptId, personDigest, budget }))).toBe(true);
    return attempt;
  }

  test('S-51: nothing while another attempt with the person’s push is pending', () =>
    withStore(open, async (store) => {
      const personDigest = somebody();
      const { attemptId, expiresAt } = await pushed(store, personDigest);
      const ask = (at: Ms) => store.admitPush(wish({ personDigest, budget, at }));
      expect(await ask(START)).toBe(false);
      expect(await store.admitPush(wish({ budget }))).toBe(true);
      expect(await store.admitPush(wish({ personDigest, budget, attemptId }))).toBe(true);
      expect(await ask(expiresAt - 1)).toBe(false);
      expect(await ask(expiresAt)).toBe(true);
    }));

  test('S-51: approval and failure make room at once', () =>
    withStore(open, async (store) => {
      const [approver, unlucky] = [somebody(), somebody()];
      await store.authenticateAttempt(authentication(await pushed(store, approver)));
      const { attemptId } = await pushed(store, unlucky);
      await store.failAttempt({ attemptId, at: START + 1, reason: 'provider.timeout' });
      for (const personDigest of [approver, unlucky]) {
        const at = START + 1;
        expect(await store.admitPush(wish({ personDigest, budget, at }))).toBe(true);
      }
    }));

  test('S-51: a refusal by the person cools down', () =>
    withStore(open, async (store) => {
      const personDigest = somebody();
      const { attemptId } = await pushed(store, personDigest);
      const rejectedAt = START + 7;
      await store.rejectAttempt({ attemptId, at: rejectedAt, reason: 'attempt.rejected' });
      const ask = (at: Ms) => store.admitPush(wish({ personDigest, budget, at }));
      expect(await ask(rejectedAt)).toBe(false);
      expect(await ask(rejectedAt + COOL_DOWN_MS - 1)).toBe(false);
      expect(await store.admitPush(wish({ budget, at: rejectedAt }))).toBe(true);
      expect(await ask(rejectedAt + COOL_DOWN_MS)).toBe(true);
    }));

  test('S-51: a cancelled attempt makes room at once, and its push goes on counting', () =>
    withStore(open, async (store) => {
      const [personDigest, two] = [somebody(), onePersonBudget(2, MINUTE_MS)];
      const { attemptId } = await pushed(store, personDigest);
      const at = START + 1;
      await store.cancelAttempt({ attemptId, at });
      expect(await store.admitPush(wish({ personDigest, budget: two, at }))).toBe(true);
      expect(await store.admitPush(wish({ personDigest, budget: two, at }))).toBe(false);
    }));
}

function forgetTests(open: OpenStore): void {
  test('S-52: a person gets all of their budget back, and nobody else any', () =>
    withStore(open, async (store) => {
      const budget = {
        ...onePersonBudget(2, MINUTE_MS),
        client: { quota: 7, lengthMs: MINUTE_MS },
      };
      const [person, other] = [somebody(), somebody()];
      const left = (personDigest: Digest) => admittedInARow(store, { personDigest, budget });
      expect([await left(person), await left(other)]).toEqual([2, 2]);
      await signIn(store, person);
      await signIn(store, somebody());
      await signIn(store);
      expect([await left(person), await left(other)]).toEqual([2, 0]);
      await signIn(store, person);
      expect(await left(person)).toBe(1);
    }));

  test('S-52: a login that can not be finished gives nothing back', () =>
    withStore(open, async (store) => {
      const [personDigest, budget] = [somebody(), onePersonBudget(2, MINUTE_MS)];
      expect(await admittedInARow(store, { personDigest, budget })).toBe(2);
      const rejected = sampleAttempt();
      await store.insertAttempt(rejected);
      const end = { attemptId: rejected.attemptId, at: START, reason: 'attempt.rejected' } as const;
      await store.rejectAttempt(end);
      const login = authentication(rejected, { pushesOf: [personDigest] });
      expect(await store.authenticateAttempt(login)).toBeNull();
      expect(await admittedInARow(store, { personDigest, budget })).toBe(0);
    }));
}

function otherKeyTests(open: OpenStore): void {
  test('S-54: what was counted under another key of the service counts for the same person', () =>
    withStore(open, async (store) => {
      const budget = onePersonBudget(3, MINUTE_MS);
      const [old, personDigest] = [somebody(), somebody()];
      const left = (changes: Partial<PushWish>) => store.admitPush(wish({ budget, ...changes }));
      expect(await left({ personDigest: old })).toBe(true);
      expect(await left({ personDigest, otherDigests: [old] })).toBe(true);
      expect(await left({ personDigest: old, otherDigests: [personDigest] })).toBe(true);
      expect(await left({ personDigest, otherDigests: [old] })).toBe(false);
      expect(await left({ personDigest: old, otherDigests: [personDigest] })).toBe(false);
      await signIn(store, old, personDigest);
      expect(await left({ personDigest, otherDigests: [old] })).toBe(true);
    }));
}

function withdrawTests(open: OpenStore): void {
  test('S-55: pushes of each client after a time, without those that were withdrawn', () =>
    withStore(open, async (store) => {
      const [one, other] = [strangers(), strangers()];
      const ask = (of: typeof one, at: Ms) => {
        const asked = wish({ client: of.client, at });
        return store.admitPush(asked).then(() => asked);
      };
      await ask(one, START);
      await ask(one, START + 1);
      const { attemptId, personDigest } = await ask(one, START + 2);
      await ask(other, START + 2);
      await store.withdrawPush(attemptId, personDigest);
      const counts = await store.countPushes(START);
      expect([counts.get(one.client), counts.get(other.client)]).toEqual([1, 1]);
      expect((await store.countPushes(START + 2)).has(other.client)).toBe(false);
    }));

  test('S-53: a push that was not sent counts for nobody, and no other is given back', () =>
    withStore(open, async (store) => {
      const budget = {
        ...onePersonBudget(2, MINUTE_MS),
        client: { quota: 2, lengthMs: MINUTE_MS },
      };
      const personDigest = somebody();
      const [first, second] = [wish({ personDigest, budget }), wish({ personDigest, budget })];
      expect(await store.admitPush(first)).toBe(true);
      expect(await store.admitPush(second)).toBe(true);
      await store.withdrawPush(first.attemptId, personDigest);
      await store.withdrawPush(first.attemptId, personDigest);
      expect(await admittedInARow(store, { personDigest, budget })).toBe(1);
    }));
}

async function signIn(store: Store, ...pushesOf: readonly Digest[]): Promise<void> {
  const attempt = sampleAttempt();
  await store.insertAttempt(attempt);
  expect(await store.authenticateAttempt(authentication(attempt, { pushesOf }))).not.toBeNull();
}

/**
 * How many of twenty simultaneous pushes are admitted; each to another person, unless one is named.
 */
async function admittedInARow(store: Store, changes: Partial<PushWish>): Promise<number> {
  let admitted = 0;
  for (let number = 0; number < 20; number += 1) {
    if (await store.admitPush(wish(changes))) admitted += 1;
  }
  return admitted;
}
