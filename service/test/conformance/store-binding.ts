import { expect, test } from 'vitest';
import type { StoreBinding } from '../../src/domain/store-binding.ts';
import { authentication, redemption, sampleAttempt, START } from './samples.ts';
import { withStore, type OpenStore } from './store-under-test.ts';

const SIMULATOR: StoreBinding = { mode: 'simulator', provider: null };
const PROVIDER = {
  url: 'https://provider.example',
  pathPrefix: '/stg',
  issuer: 'https://issuer.example',
};
const LIVE: StoreBinding = { mode: 'live', provider: PROVIDER };

const OTHERS: readonly [string, StoreBinding][] = [
  ['the simulator', SIMULATOR],
  ['a rehearsal', { mode: 'rehearsal', provider: PROVIDER }],
  ['another address', { mode: 'live', provider: { ...PROVIDER, url: 'https://other.example' } }],
  ['another prefix', { mode: 'live', provider: { ...PROVIDER, pathPrefix: '' } }],
  ['another issuer', { mode: 'live', provider: { ...PROVIDER, issuer: 'https://i.example' } }],
];

export function bindingTests(open: OpenStore): void {
  test('S-70: an empty store is bound once, and stays open to the same wish', () =>
    withStore(open, async (store) => {
      expect(await store.bindTo(LIVE, START)).toBe(true);
      expect(await store.bindTo(LIVE, START)).toBe(false);
      await store.insertAttempt(sampleAttempt());
      expect(await store.bindTo(LIVE, START)).toBe(false);
    }));

  test('S-70: of many bindings at once one wins, and the others hear of it', () =>
    withStore(open, async (store) => {
      const wishes = Array.from({ length: 32 }, (_, index) => (index % 2 === 0 ? LIVE : SIMULATOR));
      const outcomes = await Promise.allSettled(wishes.map((wish) => store.bindTo(wish, START)));
      const winners = outcomes.filter((one) => one.status === 'fulfilled' && one.value);
      expect(winners).toHaveLength(1);
      expect(outcomes.filter(({ status }) => status === 'rejected')).toHaveLength(16);
    }));

  test.each(OTHERS)('S-71: a store of live is refused to %s', (_, wish) =>
    withStore(open, async (store) => {
      await store.bindTo(LIVE, START);
      await expect(store.bindTo(wish, START)).rejects.toMatchObject({
        code: 'store.bound_otherwise',
        message: expect.stringContaining('belongs to mode live with the provider') as unknown,
      });
      expect(await store.bindTo(LIVE, START)).toBe(false);
    }),
  );

  test('S-71: a store of the simulator is refused to live', () =>
    withStore(open, async (store) => {
      await store.bindTo(SIMULATOR, START);
      const refusal = { code: 'store.bound_otherwise' };
      await expect(store.bindTo(LIVE, START)).rejects.toMatchObject(refusal);
      expect(await store.bindTo(SIMULATOR, START)).toBe(false);
    }));

  test('S-71: a store without a seal is refused when it has an attempt, a user or a token', () =>
    withStore(open, async (store) => {
      const attempt = sampleAttempt();
      const refused = async () => {
        const refusal = { code: 'store.unbound' };
        await expect(store.bindTo(SIMULATOR, START)).rejects.toMatchObject(refusal);
      };
      await store.insertAttempt(attempt);
      await refused();
      await store.authenticateAttempt(authentication(attempt));
      await store.redeemAttempt(redemption(attempt));
      const noAttempts = { expiredBefore: START * 2, redeemedBefore: 0, limit: 10 };
      await store.purge({ ...noAttempts, expiredBefore: attempt.expiresAt + 1 });
      expect(await store.findAttempt(attempt.attemptId)).toBeNull();
      await refused();
      expect((await store.purge(noAttempts)).tokens).toBe(1);
      await refused();
    }));
}
