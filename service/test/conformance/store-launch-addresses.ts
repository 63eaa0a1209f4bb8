import { expect, test } from 'vitest';
import type { AttemptRecord } from '../../src/attempt/attempt.ts';
import type { KeptToken, RedirectTransaction } from '../../src/attempt/provider-transaction.ts';
import { MINUTE_MS } from '../../src/values/time.ts';
import type { Store } from '../../src/store/ports/store.port.ts';
import { authentication, pushTransaction, redirectTransaction, START } from './samples.ts';
import { ENDS, opened } from './store-states.ts';

const NOW = START + 2;
const EXPIRES_AT = START + MINUTE_MS;

/** Tests that the address of the provider's page goes with the end of its attempt. */
const waiting = (token: string): KeptToken => ({ token, cameAt: NOW });

export function addressTests(store: () => Store): void {
  test('S-43: with a finished login the address goes, and nothing else', async () => {
    const transaction = redirectTransaction();
    const attempt = await opened(store(), transaction);
    const login = await store().authenticateAttempt(authentication(attempt, { at: NOW }));
    const erased: RedirectTransaction = { ...transaction, launchUrl: null };
    const found = await store().findTransaction(attempt.attemptId);
    expect(found).toEqual({ attempt: login?.attempt, transaction: erased });
  });

  test('S-43: the address of another attempt stays, and so does that of one that can not be finished', async () => {
    const [transaction, late] = [redirectTransaction(), redirectTransaction()];
    const other = await opened(store(), transaction);
    const attempt = await opened(store(), late);
    const login = authentication(attempt, { at: EXPIRES_AT });
    expect(await store().authenticateAttempt(login)).toBeNull();
    expect(await store().findTransaction(other.attemptId)).toEqual({ attempt: other, transaction });
    expect(await store().findTransaction(attempt.attemptId)).toEqual({
      attempt,
      transaction: late,
    });
  });

  const ended = Object.entries({
    rejected: ENDS.rejected,
    failed: ENDS.failed,
    cancelled: ENDS.cancelled,
  });

  test.each(ended)(
    'S-107: of an attempt that is %s the address goes, and nothing else',
    async (_, end) => {
      const transaction = redirectTransaction();
      const attempt = await opened(store(), transaction, { flow: 'oidc' });
      const after = await end(store(), attempt);
      const erased: RedirectTransaction = { ...transaction, launchUrl: null };
      const found = await store().findTransaction(attempt.attemptId);
      expect(found).toEqual({ attempt: after, transaction: erased });
    },
  );

  test.each(ended)('S-107: nothing else changes with one that is %s', async (_, end) => {
    const transaction = redirectTransaction();
    const other = await opened(store(), transaction);
    const push = pushTransaction();
    const asked = await opened(store(), push);
    await end(store(), await opened(store(), redirectTransaction()));
    const after = await end(store(), asked);
    expect(await store().findTransaction(other.attemptId)).toEqual({ attempt: other, transaction });
    expect(await store().findTransaction(asked.attemptId)).toEqual({
      attempt: after,
      transaction: push,
    });
  });

  test('S-107: an end that comes too late erases nothing', async () => {
    const transaction = redirectTransaction();
    const attempt = await opened(store(), transaction);
    const late = { attemptId: attempt.attemptId, at: EXPIRES_AT };
    expect(await store().rejectAttempt({ ...late, reason: 'attempt.rejected' })).toBeNull();
    expect(await store().failAttempt({ ...late, reason: 'provider.timeout' })).toBeNull();
    expect(await store().cancelAttempt(late)).toBeNull();
    expect(await store().findTransaction(attempt.attemptId)).toEqual({ attempt, transaction });
  });

  test('S-110: tokens are kept with a pending attempt alone, of either flow', async () => {
    for (const transaction of [redirectTransaction(), pushTransaction()]) {
      const { attemptId } = await opened(store(), transaction);
      const keep = (tokens: readonly KeptToken[], at = NOW) =>
        store().keepTokens({ attemptId, at, tokens });
      const kept = async () => (await store().findTransaction(attemptId))?.transaction.keptTokens;
      expect(await keep([waiting('a.b.c'), waiting('d.e.f')])).toBe(true);
      expect(await kept()).toEqual([waiting('a.b.c'), waiting('d.e.f')]);
      expect(await keep([waiting('g.h.i')])).toBe(true);
      expect(await kept()).toEqual([waiting('g.h.i')]);
      expect(await keep([waiting('late')], EXPIRES_AT)).toBe(false);
      expect(await kept()).toEqual([waiting('g.h.i')]);
      expect(await keep([])).toBe(true);
      expect((await store().findTransaction(attemptId))?.transaction).toEqual(transaction);
    }
  });

  const endings = Object.entries({
    ...Object.fromEntries(ended),
    authenticated: (to: Store, attempt: AttemptRecord) =>
      to.authenticateAttempt(authentication(attempt, { at: NOW })),
    spoiled: (to: Store, { attemptId }: AttemptRecord) => to.spoilAttempt(attemptId, NOW),
    revoked: (to: Store, { client }: AttemptRecord) => to.revokeAll(NOW, { client }),
  });

  test.each(endings)('S-110: they go with an attempt that is %s', async (_, end) => {
    const attempt = await opened(store(), redirectTransaction(), { flow: 'oidc' });
    const { attemptId } = attempt;
    await store().keepTokens({ attemptId, at: NOW, tokens: [waiting('a.b.c')] });
    await end(store(), attempt);
    expect((await store().findTransaction(attemptId))?.transaction.keptTokens).toEqual([]);
    expect(await store().keepTokens({ attemptId, at: NOW, tokens: [waiting('d.e.f')] })).toBe(
      false,
    );
  });

  test('S-112: the pushes with kept tokens are found while they are pending', async () => {
    const first = await opened(store(), pushTransaction());
    const second = await opened(store(), pushTransaction());
    const redirect = await opened(store(), redirectTransaction(), { flow: 'oidc' });
    await opened(store(), pushTransaction());
    for (const { attemptId } of [second, redirect, first]) {
      await store().keepTokens({ attemptId, at: NOW, tokens: [waiting('a.b.c')] });
    }
    const ids = [first.attemptId, second.attemptId].toSorted();
    const found = await store().keptPushes(EXPIRES_AT - 1);
    expect(found.filter((id) => [...ids, redirect.attemptId].includes(id))).toEqual(ids);
    expect(await store().keptPushes(EXPIRES_AT)).toEqual([]);
  });

  test('S-111: they go with the expiry of their attempt, and not before', async () => {
    const { attemptId } = await opened(store(), pushTransaction());
    await store().keepTokens({ attemptId, at: NOW, tokens: [waiting('a.b.c')] });
    const kept = async () => (await store().findTransaction(attemptId))?.transaction.keptTokens;
    await store().dropLateTokens(EXPIRES_AT - 1);
    expect(await kept()).toEqual([waiting('a.b.c')]);
    await store().dropLateTokens(EXPIRES_AT);
    expect(await kept()).toEqual([]);
  });
}
