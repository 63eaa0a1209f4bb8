import { expect, test } from 'vitest';
import { expiryOf, type AttemptRecord } from '../../src/attempt/attempt.ts';
import { DAY_MS } from '../../src/values/time.ts';
import type { PurgeBounds, RedeemAttempt, Store } from '../../src/store/ports/store.port.ts';
import { authentication, redemption, sampleAttempt, SEAL, START } from './samples.ts';
import { withStore, type OpenStore } from './store-under-test.ts';

const NOTHING: PurgeBounds = { expiredBefore: 0, redeemedBefore: 0, limit: 100 };
const NONE = { attempts: 0, tokens: 0, seals: 0, openid: 0 };
const REDEEMED_AT = START + 2;

export function purgeTests(open: OpenStore): void {
  test('S-17: an attempt goes when it expired before the bound, not at it', () =>
    withStore(open, async (store) => {
      const attempt = sampleAttempt();
      await store.insertAttempt(attempt);
      const expiry = attempt.expiresAt;
      expect(await store.purge({ ...NOTHING, expiredBefore: expiry })).toEqual(NONE);
      expect(await store.findAttempt(attempt.attemptId)).not.toBeNull();
      const counts = await store.purge({ ...NOTHING, expiredBefore: expiry + 1 });
      expect(counts).toEqual({ ...NONE, attempts: 1 });
      expect(await store.findAttempt(attempt.attemptId)).toBeNull();
    }));

  test('S-17: the earlier of the two expiries counts', () =>
    withStore(open, async (store) => {
      const earlier = sampleAttempt({ providerExpiresAt: START + 10 });
      const later = sampleAttempt({ providerExpiresAt: sampleAttempt().expiresAt + 10 });
      await store.insertAttempt(earlier);
      await store.insertAttempt(later);
      expect(expiryOf(later)).toBe(later.expiresAt);
      const attempts = async (expiredBefore: number) =>
        (await store.purge({ ...NOTHING, expiredBefore })).attempts;
      expect(await attempts(START + 10)).toBe(0);
      expect(await attempts(START + 11)).toBe(1);
      expect(await attempts(later.expiresAt)).toBe(0);
      expect(await attempts(later.expiresAt + 1)).toBe(1);
    }));

  test('S-17, S-23: a purged attempt leaves its token working', () =>
    withStore(open, async (store) => {
      const attempt = await redeemed(store);
      const issued = await store.findTokenOfAttempt(attempt.attemptId);
      await store.purge({ ...NOTHING, expiredBefore: attempt.expiresAt + 1 });
      expect(await store.findAttempt(attempt.attemptId)).toBeNull();
      expect(issued).not.toBeNull();
      if (issued === null) return;
      expect(await store.findToken(issued.token.tokenDigest)).toEqual(issued);
      const { token } = issued;
      expect(await store.revokeToken(token.tokenId, token, REDEEMED_AT + 1)).toBe(true);
    }));

  test('S-109: what had expired has expired at the new time, and nothing else has', () =>
    withStore(open, async (store) => {
      const [from, to] = [START + DAY_MS, START + 10];
      const overdue = sampleAttempt({ expiresAt: from });
      const pushed = sampleAttempt({ expiresAt: from + 1, providerExpiresAt: to + 1 });
      const before = sampleAttempt({ expiresAt: to });
      const earlier = sampleAttempt({ expiresAt: from, providerExpiresAt: to - 5 });
      const after = sampleAttempt({ expiresAt: from + 1 });
      for (const one of [overdue, pushed, before, earlier, after]) await store.insertAttempt(one);
      const rejected = sampleAttempt();
      await store.insertAttempt(rejected);
      const end = {
        attemptId: rejected.attemptId,
        at: START + 1,
        reason: 'attempt.rejected',
      } as const;
      await store.rejectAttempt(end);
      const attempt = await redeemed(store);
      const issued = await store.findTokenOfAttempt(attempt.attemptId);
      const expiries = async () => {
        const found = [overdue, pushed, before, earlier, after, rejected].map(
          async ({ attemptId }) => {
            const known = await store.findAttempt(attemptId);
            return known === null ? null : expiryOf(known.attempt);
          },
        );
        const known = await store.findTokenOfAttempt(attempt.attemptId);
        return [...(await Promise.all(found)), known?.token.expiresAt];
      };
      const expiry = issued?.token.expiresAt ?? 0;
      await store.endOverdue({ from, to });
      const ofToken = expiry <= from ? to : expiry;
      const ofAttempts = [to, to, to, to - 5, from + 1, rejected.expiresAt];
      expect(await expiries()).toEqual([...ofAttempts, ofToken]);
      await store.endOverdue({ from: expiry, to });
      expect((await expiries()).at(-1)).toBe(to);
    }));

  test('S-17: a token goes when it expired before the bound, not at it, revoked or not', () =>
    withStore(open, async (store) => {
      const attempt = await redeemed(store);
      const issued = await store.findTokenOfAttempt(attempt.attemptId);
      const expiry = issued?.token.expiresAt ?? 0;
      const before = await store.purge({ ...NOTHING, expiredBefore: expiry });
      expect(before.tokens).toBe(0);
      const after = await store.purge({ ...NOTHING, expiredBefore: expiry + 1 });
      expect(after.tokens).toBe(1);
      expect(await store.findTokenOfAttempt(attempt.attemptId)).toBeNull();
    }));

  test('S-17: a seal is erased when its redemption was before the bound, not at it', () =>
    withStore(open, async (store) => {
      const attempt = await redeemed(store, { seal: SEAL });
      const before = await store.findAttempt(attempt.attemptId);
      expect(await store.purge({ ...NOTHING, redeemedBefore: REDEEMED_AT })).toEqual(NONE);
      expect(await store.findAttempt(attempt.attemptId)).toEqual(before);
      const counts = await store.purge({ ...NOTHING, redeemedBefore: REDEEMED_AT + 1 });
      expect(counts).toEqual({ ...NONE, seals: 1 });
      const after = await store.findAttempt(attempt.attemptId);
      expect(after?.attempt).toEqual({ ...before?.attempt, redemption: null });
    }));

  test('S-17: nothing else is touched', () =>
    withStore(open, async (store) => {
      const pending = sampleAttempt();
      await store.insertAttempt(pending);
      const live = await redeemed(store);
      const before = await Promise.all(
        [pending, live].map((one) => store.findAttempt(one.attemptId)),
      );
      const expiredBefore = pending.expiresAt;
      const counts = await store.purge({
        expiredBefore,
        redeemedBefore: expiredBefore,
        limit: 100,
      });
      expect(counts).toEqual(NONE);
      const after = await Promise.all(
        [pending, live].map((one) => store.findAttempt(one.attemptId)),
      );
      expect(after).toEqual(before);
    }));

  test('S-17: one call does at most its limit of each kind, and calls add up to all', () =>
    withStore(open, async (store) => {
      for (let count = 0; count < 5; count += 1) await redeemed(store, { seal: SEAL });
      const seals = { ...NOTHING, redeemedBefore: REDEEMED_AT + 1, limit: 2 };
      const everything = { ...NOTHING, expiredBefore: START * 2, limit: 2 };
      const erased = [await store.purge(seals), await store.purge(seals), await store.purge(seals)];
      expect(erased.map((counts) => counts.seals)).toEqual([2, 2, 1]);
      const removed = [];
      for (let call = 0; call < 3; call += 1) removed.push(await store.purge(everything));
      expect(removed.map((counts) => counts.attempts)).toEqual([2, 2, 1]);
      expect(removed.map((counts) => counts.tokens)).toEqual([2, 2, 1]);
    }));
}

async function redeemed(
  store: Store,
  changes: Partial<RedeemAttempt> = {},
): Promise<AttemptRecord> {
  const attempt = sampleAttempt();
  await store.insertAttempt(attempt);
  await store.authenticateAttempt(authentication(attempt));
  await store.redeemAttempt(redemption(attempt, { at: REDEEMED_AT, ...changes }));
  return attempt;
}
