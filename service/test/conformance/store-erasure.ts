import { expect, test } from 'vitest';
import type { AttemptRecord } from '../../src/attempt/attempt.ts';
import type { Store } from '../../src/store/ports/store.port.ts';
import { sampleAttempt } from './samples.ts';
import { ENDS } from './store-states.ts';
import { withStore, type OpenStore } from './store-under-test.ts';

export function erasureTests(open: OpenStore): void {
  test.each(Object.entries(ENDS))('S-61: %s, an attempt forgets who was asked for', (_, end) =>
    withStore(open, async (store) => {
      const attempt = sampleAttempt();
      await store.insertAttempt(attempt);
      expect(await requested(store, attempt)).toBe(attempt.nationalId);
      const result: unknown = await end(store, attempt);
      expect(result).toMatchObject(
        'attempt' in Object(result) ? { attempt: { nationalId: null } } : { nationalId: null },
      );
      expect(await requested(store, attempt)).toBeNull();
    }),
  );

  test('S-61: purging takes it from what expired before the bound, and from nothing else', () =>
    withStore(open, async (store) => {
      const [one, two, young] = [sampleAttempt(), sampleAttempt(), sampleAttempt()];
      const expiry = one.expiresAt;
      await store.insertAttempt(one);
      await store.insertAttempt(two);
      await store.insertAttempt({ ...young, expiresAt: expiry + 1 });
      const all = () => Promise.all([one, two, young].map((each) => requested(store, each)));
      const purge = (redeemedBefore: number) =>
        store.purge({ expiredBefore: 0, redeemedBefore, limit: 1 });
      await purge(expiry);
      expect(await all()).not.toContain(null);
      await purge(expiry + 1);
      expect((await all()).filter((id) => id === null)).toHaveLength(1);
      await purge(expiry + 1);
      await purge(expiry + 1);
      expect(await all()).toEqual([null, null, young.nationalId]);
    }));
}

async function requested(store: Store, { attemptId }: AttemptRecord) {
  const found = await store.findAttempt(attemptId);
  if (found === null) throw new Error('the attempt is gone');
  return found.attempt.nationalId;
}
