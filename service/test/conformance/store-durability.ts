import { expect, test } from 'vitest';
import { authentication, redemption, sampleAttempt, SEAL } from './samples.ts';
import { withStore, type OpenedStore, type OpenStore } from './store-under-test.ts';

export function closingTests(open: OpenStore): void {
  test('S-30: a closed store refuses everything and says that it is not ready', () =>
    withStore(open, async (store) => {
      expect(store.health()).toEqual({ ready: true });
      await store.close();
      await store.close();
      expect(store.health().ready).toBe(false);
      const { attemptId } = sampleAttempt();
      await expect(store.findAttempt(attemptId)).rejects.toThrow('storage.unavailable');
      await expect(store.insertAttempt(sampleAttempt())).rejects.toThrow('storage.unavailable');
    }));
}

export function durabilityTests(open: OpenStore): void {
  test('S-1, S-30: what was accepted before the close is there afterwards', () =>
    withStore(open, async (store, opened) => {
      const attempts = Array.from({ length: 500 }, () => sampleAttempt());
      const inserts = attempts.map((attempt) => store.insertAttempt(attempt));
      await store.close();
      await Promise.all(inserts);
      const again = await reopen(opened);
      for (const attempt of attempts) {
        expect(await again.findAttempt(attempt.attemptId)).toEqual({ attempt, user: null });
      }
    }));

  test('S-1: attempts, users and tokens are the same after a restart', () =>
    withStore(open, async (store, opened) => {
      const attempt = sampleAttempt();
      await store.insertAttempt(attempt);
      await store.authenticateAttempt(authentication(attempt));
      await store.redeemAttempt(redemption(attempt, { seal: SEAL }));
      const before = await store.findAttempt(attempt.attemptId);
      const issued = await store.findTokenOfAttempt(attempt.attemptId);
      await store.close();
      const again = await reopen(opened);
      expect(await again.findAttempt(attempt.attemptId)).toEqual(before);
      expect(await again.findTokenOfAttempt(attempt.attemptId)).toEqual(issued);
    }));
}

async function reopen({ reopen: openAgain }: OpenedStore) {
  if (openAgain === null) throw new Error('this store is said to last, and has nothing to reopen');
  return openAgain();
}
