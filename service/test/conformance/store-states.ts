import type { AttemptRecord } from '../../src/attempt/attempt.ts';
import type { ProviderTransaction } from '../../src/attempt/provider-transaction.ts';
import type { Store } from '../../src/store/ports/store.port.ts';
import { authentication, opening, pushTransaction, sampleAttempt, START } from './samples.ts';

const NOW = START + 2;

/** Each of these ends a pending attempt. */
export const ENDS = {
  authenticated: (store, attempt) => store.authenticateAttempt(authentication(attempt)),
  rejected: (store, { attemptId }) =>
    store.rejectAttempt({ attemptId, at: NOW, reason: 'attempt.rejected' }),
  failed: (store, { attemptId }) =>
    store.failAttempt({ attemptId, at: NOW, reason: 'provider.timeout' }),
  cancelled: (store, { attemptId }) => store.cancelAttempt({ attemptId, at: NOW }),
} as const satisfies Record<string, (store: Store, attempt: AttemptRecord) => Promise<unknown>>;

export async function inserted(
  store: Store,
  changes: Partial<AttemptRecord> = {},
): Promise<AttemptRecord> {
  const attempt = sampleAttempt(changes);
  await store.insertAttempt(attempt);
  return attempt;
}

export async function opened(
  store: Store,
  transaction: ProviderTransaction,
  changes: Partial<AttemptRecord> = {},
): Promise<AttemptRecord> {
  const attempt = await inserted(store, changes);
  const result = await store.openTransaction(opening(attempt, { transaction }));
  if (result === null) throw new Error('the transaction was refused');
  return result;
}

export async function openedPush(store: Store) {
  const transaction = pushTransaction();
  const { attemptId } = await opened(store, transaction);
  return { attemptId, transactionId: transaction.transactionId };
}
