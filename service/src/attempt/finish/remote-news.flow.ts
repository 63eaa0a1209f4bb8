import type { AttemptRecord } from '../attempt.ts';
import { isProofLate, type PushTransaction } from '../provider-transaction.ts';
import type { Ms } from '../../values/time.ts';
import type { LoginResult, RemoteProvider } from '../../provider/identity-provider.port.ts';
import type { CollectNews, Services } from '../services.flow.ts';

type Needs = Pick<Services, 'store'>;

const WAITING: LoginResult = { result: 'waiting' };

/** The unsigned status of a remote provider: it can end an attempt, but never authenticate one. */
export function remoteNews(services: Needs, provider: RemoteProvider): CollectNews {
  return async (record, now) => {
    // A redirect is finished only by the return of its browser, never by a status.
    if (record.flow === 'oidc') return WAITING;
    const known = await services.store.findTransaction(record.attemptId);
    // The provider has not yet answered the request that started this push.
    if (known?.transaction.kind !== 'push') return WAITING;
    const { transaction } = known;
    if (transaction.completedSeenAt !== null) return newsOfApproval(transaction, now);
    const result = await provider.collectPush(record, transaction, now);
    if (result === 'rejected') return { result: 'rejected', reason: 'attempt.rejected' };
    return result === 'approved' ? noteApproval(services, record, transaction, now) : WAITING;
  };
}

async function noteApproval(
  { store }: Needs,
  { attemptId }: AttemptRecord,
  transaction: PushTransaction,
  now: Ms,
): Promise<LoginResult> {
  const completedSeenAt = (await store.recordApprovalSeen(attemptId, now)) ?? now;
  return newsOfApproval({ ...transaction, completedSeenAt }, now);
}

/** The attempt waits for the signed result, and fails when that is late. */
function newsOfApproval(transaction: PushTransaction, now: Ms): LoginResult {
  return isProofLate(transaction, now)
    ? { result: 'failed', reason: 'provider.identity_missing' }
    : WAITING;
}
