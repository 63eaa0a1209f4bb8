import { expect, test } from 'vitest';
import type { AttemptRecord } from '../../src/attempt/attempt.ts';
import { HOUR_MS } from '../../src/values/time.ts';
import type { Store } from '../../src/store/ports/store.port.ts';
import {
  authentication,
  opening,
  redemption,
  sampleAttempt,
  sampleCall,
  START,
} from './samples.ts';
import { withStore, type OpenStore } from './store-under-test.ts';

const NOTHING = { attemptsBefore: 0, callsBefore: 0, limit: 100 };

export function trimTests(open: OpenStore): void {
  test('S-25: the n-th attempt is counted from the latest expiry, the earlier of the two', () =>
    withStore(open, async (store) => {
      const early = sampleAttempt({ providerExpiresAt: START + 10 });
      const late = sampleAttempt({ expiresAt: START + HOUR_MS });
      const middle = sampleAttempt();
      for (const attempt of [middle, early, late]) await store.insertAttempt(attempt);
      const nth = async (attempts: number) =>
        (await store.findRowCutoffs({ attempts, calls: null })).attempts;
      expect(await nth(1)).toBe(late.expiresAt);
      expect(await nth(2)).toBe(middle.expiresAt);
      expect(await nth(3)).toBe(START + 10);
      expect(await nth(4)).toBeNull();
    }));

  test('S-25: the n-th call is counted from the latest; without a number nothing is', () =>
    withStore(open, async (store) => {
      const attempt = sampleAttempt();
      await store.insertAttempt(attempt);
      for (const at of [START, START + 2, START + 1]) {
        await store.recordCall(sampleCall(attempt.attemptId, at));
      }
      const found = await store.findRowCutoffs({ attempts: null, calls: 2 });
      expect(found).toEqual({ attempts: null, calls: START + 1 });
      const none = await store.findRowCutoffs({ attempts: null, calls: null });
      expect(none).toEqual({ attempts: null, calls: null });
      expect((await store.findRowCutoffs({ attempts: null, calls: 4 })).calls).toBeNull();
    }));

  test('S-26: an attempt goes with its transaction and its calls, when it expired before', () =>
    withStore(open, async (store) => {
      const gone = await openedWithCall(store, START + 50);
      const kept = await openedWithCall(store, START + 51);
      const counts = await store.trim({ ...NOTHING, attemptsBefore: START + 51 });
      expect(counts).toEqual({ attempts: 1, calls: 0 });
      expect(await store.findAttempt(gone.attemptId)).toBeNull();
      expect(await store.findTransaction(gone.attemptId)).toBeNull();
      expect(await store.listCalls(gone.attemptId)).toEqual([]);
      expect(await store.findTransaction(kept.attemptId)).not.toBeNull();
      expect(await store.listCalls(kept.attemptId)).toHaveLength(1);
    }));

  test('S-26: calls go when they were recorded before, and their attempt stays', () =>
    withStore(open, async (store) => {
      const attempt = await openedWithCall(store, START + 50);
      await store.recordCall(sampleCall(attempt.attemptId, START + 9));
      const counts = await store.trim({ ...NOTHING, callsBefore: START + 9 });
      expect(counts).toEqual({ attempts: 0, calls: 1 });
      const left = await store.listCalls(attempt.attemptId);
      expect(left.map(({ at }) => at)).toEqual([START + 9]);
      expect(await store.findAttempt(attempt.attemptId)).not.toBeNull();
    }));

  test('S-26: no token is removed, however many attempts are', () =>
    withStore(open, async (store) => {
      const attempt = sampleAttempt();
      await store.insertAttempt(attempt);
      await store.authenticateAttempt(authentication(attempt));
      const token = await store.redeemAttempt(redemption(attempt));
      const everything = { attemptsBefore: START * 2, callsBefore: START * 2, limit: 100 };
      expect(await store.trim(everything)).toEqual({ attempts: 1, calls: 0 });
      expect(token).not.toBeNull();
      expect(await store.findTokenOfAttempt(attempt.attemptId)).toMatchObject({ token });
    }));

  test('S-26: the earliest go first, at most the limit of each kind', () =>
    withStore(open, async (store) => {
      const third = await openedWithCall(store, START + 53);
      const first = await openedWithCall(store, START + 51);
      const second = await openedWithCall(store, START + 52);
      const bounds = { attemptsBefore: START * 2, callsBefore: 0, limit: 1 };
      for (const { attemptId } of [first, second, third]) {
        expect(await store.trim(bounds)).toEqual({ attempts: 1, calls: 0 });
        expect(await store.findAttempt(attemptId)).toBeNull();
      }
      expect(await store.trim(bounds)).toEqual({ attempts: 0, calls: 0 });
    }));

  test('S-26: calls add up over several steps', () =>
    withStore(open, async (store) => {
      const attempt = sampleAttempt();
      await store.insertAttempt(attempt);
      for (let at = 0; at < 5; at += 1) {
        await store.recordCall(sampleCall(attempt.attemptId, START + at));
      }
      const bounds = { attemptsBefore: 0, callsBefore: START + 4, limit: 3 };
      const removed = [await store.trim(bounds), await store.trim(bounds)];
      expect(removed.map(({ calls }) => calls)).toEqual([3, 1]);
      const left = await store.listCalls(attempt.attemptId);
      expect(left.map(({ at }) => at)).toEqual([START + 4]);
    }));
}

async function openedWithCall(store: Store, expiresAt: number): Promise<AttemptRecord> {
  const attempt = sampleAttempt({ expiresAt });
  await store.insertAttempt(attempt);
  await store.openTransaction(opening(attempt, { providerExpiresAt: null }));
  await store.recordCall(sampleCall(attempt.attemptId));
  return attempt;
}
