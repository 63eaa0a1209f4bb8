import { expect, test } from 'vitest';
import type { NonEmpty, StoreBinding } from '../../src/values/store-binding.ts';
import { authentication, redemption, sampleAttempt, START } from './samples.ts';
import type { Store } from '../../src/store/ports/store.port.ts';
import { withStore, type OpenStore } from './store-under-test.ts';

const SIMULATOR: StoreBinding = { mode: 'simulator', provider: null };
const PROVIDER = {
  url: 'https://provider.example',
  pathPrefixes: ['/stg'],
  issuers: ['https://issuer.example'],
} as const;
const LIVE: StoreBinding = { mode: 'live', provider: PROVIDER };

/** A live provider, by its prefixes and issuers. */
function provider(pathPrefixes: NonEmpty<string>, issuers: NonEmpty<string>): StoreBinding {
  return { mode: 'live', provider: { url: PROVIDER.url, pathPrefixes, issuers } };
}

const OTHERS: readonly [string, StoreBinding][] = [
  ['the simulator', SIMULATOR],
  ['a rehearsal', { mode: 'rehearsal', provider: PROVIDER }],
  ['another address', { mode: 'live', provider: { ...PROVIDER, url: 'https://other.example' } }],
  ['another prefix', { mode: 'live', provider: { ...PROVIDER, pathPrefixes: [''] } }],
  ['another issuer', { mode: 'live', provider: { ...PROVIDER, issuers: ['https://i.example'] } }],
];

async function isFirst(store: Store, wish: StoreBinding): Promise<boolean> {
  return (await store.bindTo(wish, START)).isFirst;
}

export function bindingTests(open: OpenStore): void {
  test('S-70: an empty store is bound once, and stays open to the same wish', () =>
    withStore(open, async (store) => {
      expect(await isFirst(store, LIVE)).toBe(true);
      expect(await isFirst(store, LIVE)).toBe(false);
      await store.insertAttempt(sampleAttempt());
      expect(await isFirst(store, LIVE)).toBe(false);
    }));

  test('S-70: of many bindings at once one wins, and the others hear of it', () =>
    withStore(open, async (store) => {
      const wishes = Array.from({ length: 32 }, (_, index) => (index % 2 === 0 ? LIVE : SIMULATOR));
      const outcomes = await Promise.allSettled(wishes.map((wish) => store.bindTo(wish, START)));
      const winners = outcomes.filter((one) => one.status === 'fulfilled' && one.value.isFirst);
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
      expect(await isFirst(store, LIVE)).toBe(false);
    }),
  );

  test('S-113: a prefix and an issuer for each flow are learnt, and each is enough later', () =>
    withStore(open, async (store) => {
      await store.bindTo(provider(['/stg'], ['a']), START);
      await store.insertAttempt(sampleAttempt());
      const split = provider(['', '/stg'], ['b', 'a']);
      const learnt = provider(['/stg', ''], ['a', 'b']);
      expect(await store.bindTo(split, START)).toEqual({ isFirst: false, binding: learnt });
      for (const merged of [provider([''], ['b']), provider(['/stg'], ['b']), split]) {
        expect(await store.bindTo(merged, START)).toEqual({ isFirst: false, binding: learnt });
      }
      await expect(store.bindTo(provider(['/other'], ['a']), START)).rejects.toThrow();
      await expect(store.bindTo(provider(['/stg'], ['c']), START)).rejects.toThrow();
      // What was refused is not learnt.
      await expect(store.bindTo(provider(['/other'], ['c']), START)).rejects.toThrow();
      const rows = await store.readAudit({ after: 0, limit: 10 });
      // Once each, and named: whoever reads the log sees what the store was opened with.
      expect(rows.map(({ action, detail }) => [action, detail])).toEqual([
        ['store.sealed', 'live'],
        ['store.sealed', 'path_prefix ""'],
        ['store.sealed', 'issuer "b"'],
      ]);
    }));

  test('S-113: a store that begins with two of each is named after the first, and knows both', () =>
    withStore(open, async (store) => {
      const split = provider(['/stg', ''], ['a', 'b']);
      expect(await store.bindTo(split, START)).toEqual({ isFirst: true, binding: split });
      const merged = await store.bindTo(provider([''], ['b']), START);
      expect(merged).toEqual({ isFirst: false, binding: split });
    }));

  test('S-113: of many instances that split a setting at once each opens the store', () =>
    withStore(open, async (store) => {
      await store.bindTo(provider([''], ['a']), START);
      const wishes = Array.from({ length: 16 }, (_, index) => provider([''], ['a', `i-${index}`]));
      await Promise.all(wishes.map((wish) => store.bindTo(wish, START)));
      await Promise.all(wishes.map((wish) => store.bindTo(wish, START)));
      const { binding } = await store.bindTo(provider([''], ['a']), START);
      expect(binding.provider?.issuers[0]).toBe('a');
      expect(new Set(binding.provider?.issuers).size).toBe(17);
    }));

  test('S-71: a store of the simulator is refused to live', () =>
    withStore(open, async (store) => {
      await store.bindTo(SIMULATOR, START);
      const refusal = { code: 'store.bound_otherwise' };
      await expect(store.bindTo(LIVE, START)).rejects.toMatchObject(refusal);
      expect(await isFirst(store, SIMULATOR)).toBe(false);
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
