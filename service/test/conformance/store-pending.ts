import { expect, test } from 'vitest';
import { firstIdAt, type AttemptId } from '../../src/values/ids.ts';
import { ATTEMPT_LIFETIME_MS } from '../../src/attempt/attempt.ts';
import { DEFAULT_SCOPE, type Scenario } from '../../src/attempt/scenario.ts';
import type { Store } from '../../src/store/ports/store.port.ts';
import { attemptNumbered, nextSerial, START } from './samples.ts';
import { ENDS } from './store-states.ts';
import { withStore, type OpenStore } from './store-under-test.ts';

const MANY = 100;
const OF_ANOTHER: Scenario = { scope: 'a', outcome: null };

export function pendingTests(open: OpenStore): void {
  test('S-49: pending attempts are listed, oldest first, and ended or expired ones are not', () =>
    withStore(open, async (store) => {
      const started = [];
      for (let number = 0; number < 6; number += 1) {
        started.push(await insertedAt(store, START + number));
      }
      const [one, two, three, ...rest] = started;
      if (one === undefined || two === undefined || three === undefined) throw new Error('none');
      await ENDS.authenticated(store, one);
      await ENDS.rejected(store, two);
      await ENDS.failed(store, three);
      expect(await store.pendingAttempts(START + 10, MANY, DEFAULT_SCOPE)).toEqual(rest);
      const end = START + ATTEMPT_LIFETIME_MS;
      expect(await store.pendingAttempts(end + 4, MANY, DEFAULT_SCOPE)).toEqual(rest.slice(-1));
      expect(await store.pendingAttempts(end + 5, MANY, DEFAULT_SCOPE)).toEqual([]);
    }));

  test('S-49: of too many, the newest are listed', () =>
    withStore(open, async (store) => {
      const started = [];
      for (let number = 0; number < 5; number += 1) {
        started.push(await insertedAt(store, START + number));
      }
      expect(await store.pendingAttempts(START + 10, 2, DEFAULT_SCOPE)).toEqual(started.slice(-2));
    }));

  test('S-49, S-106: those of other scopes are not listed, however many they are', () =>
    withStore(open, async (store) => {
      const refuses = { key: 'refuses', afterMs: 3000 };
      const scenarios = [
        null,
        { scope: DEFAULT_SCOPE, outcome: refuses },
        { scope: 'a', outcome: null },
        { scope: 'a', outcome: refuses },
        { scope: 'a-1', outcome: null },
        { scope: 'b', outcome: null },
      ];
      const [none, chosen, plain, both, longer] = await inTurn(store, scenarios);
      const listed = (scope: string) => store.pendingAttempts(START + 10, 2, scope);
      expect(await listed(DEFAULT_SCOPE)).toEqual([none, chosen]);
      expect(await listed('a')).toEqual([plain, both]);
      expect(await listed('a-1')).toEqual([longer]);
      expect(await listed('c')).toEqual([]);
      expect(await store.newestAttempts(2, 'a', null)).toEqual([both, plain]);
      expect(await store.newestAttempts(2, 'a-1', null)).toEqual([longer]);
    }));
}

export function newestTests(open: OpenStore): void {
  test('S-106: the newest attempts are listed in any state, the last started first', () =>
    withStore(open, async (store) => {
      const started = [];
      for (let number = 0; number < 4; number += 1) {
        started.push(await insertedAt(store, START + number));
      }
      const [one, two, three, four] = started;
      if (one === undefined || three === undefined) throw new Error('none');
      await ENDS.rejected(store, three);
      const ids = async (limit: number) =>
        (await store.newestAttempts(limit, DEFAULT_SCOPE, null)).map(({ attemptId }) => attemptId);
      expect(await ids(2)).toEqual([four?.attemptId, three.attemptId]);
      expect(await ids(MANY)).toEqual([four, three, two, one].map((each) => each?.attemptId));
      const [, second] = await store.newestAttempts(2, DEFAULT_SCOPE, null);
      expect(second?.rejectedAt).not.toBeNull();
    }));

  test('S-108: the list goes on before an id, whether or not an attempt of the scope has it', () =>
    withStore(open, async (store) => {
      const [one, two, other, four] = await inTurn(store, [null, null, OF_ANOTHER, null]);
      if (one === undefined || other === undefined || four === undefined) throw new Error('none');
      const before = (id: AttemptId, limit = MANY) =>
        store.newestAttempts(limit, DEFAULT_SCOPE, id);
      expect(await before(four.attemptId)).toEqual([two, one]);
      expect(await before(four.attemptId, 1)).toEqual([two]);
      expect(await before(other.attemptId)).toEqual([two, one]);
      expect(await before(firstIdAt(START + MANY), 1)).toEqual([four]);
      expect(await before(one.attemptId)).toEqual([]);
    }));
}

/** One attempt for each, a millisecond apart. */
async function inTurn(store: Store, scenarios: readonly (Scenario | null)[]) {
  const inserted = [];
  for (const [index, scenario] of scenarios.entries()) {
    inserted.push(await insertedAt(store, START + index, scenario));
  }
  return inserted;
}

async function insertedAt(store: Store, at: number, scenario: Scenario | null = null) {
  const attempt = { ...attemptNumbered(nextSerial(), at), scenario };
  await store.insertAttempt(attempt);
  return attempt;
}
