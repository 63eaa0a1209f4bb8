import { expect, test } from 'vitest';
import type { RedirectTransaction } from '../../src/domain/provider-transaction.ts';
import { MINUTE_MS } from '../../src/domain/time.ts';
import type { Store } from '../../src/ports/store/index.ts';
import { authentication, pushTransaction, redirectTransaction, START } from './samples.ts';
import { ENDS, opened } from './store-states.ts';

const NOW = START + 2;
const EXPIRES_AT = START + MINUTE_MS;

/** Tests that the address of the provider's page goes with the end of its attempt. */
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
}
