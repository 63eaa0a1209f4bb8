import type { AttemptId } from '../../domain/attempt-id.ts';
import type { AttemptRecord } from '../../domain/attempt.ts';
import { Refusal } from '../../domain/errors/refusal.ts';
import { isProofLate, type PushTransaction } from '../../domain/provider-transaction.ts';
import type { Ms } from '../../domain/time.ts';
import type {
  LoginResult,
  RemoteProvider,
  SignedPush,
  Unverified,
} from '../../ports/identity-provider.ts';
import type { CollectNews, Services } from '../services.ts';

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
    const kept = await newsOfKept(services, provider, record, known.transaction, now);
    if (kept !== null) return kept;
    const { completedSeenAt } = known.transaction;
    if (completedSeenAt !== null) return newsOfApproval(completedSeenAt, now);
    const result = await provider.collectPush(record, known.transaction, now);
    if (result === 'rejected') return { result: 'rejected', reason: 'attempt.rejected' };
    return result === 'approved' ? noteApproval(services, record, now) : WAITING;
  };
}

/**
 * The signed results that came before their key was known. What proves to be forged is forgotten.
 * @returns null when none is left
 */
async function newsOfKept(
  { store }: Needs,
  provider: RemoteProvider,
  attempt: AttemptRecord,
  { transactionId, keptTokens }: PushTransaction,
  at: Ms,
): Promise<LoginResult | null> {
  const { attemptId } = attempt;
  const left: string[] = [];
  for (const token of keptTokens) {
    const message = { token, transId: transactionId, requestId: attemptId };
    const push = await provider.readPush(message, { attempt, transactionId }).catch(asEnd);
    if (push === null) continue;
    if (push.status === 'unverified') left.push(token);
    else return newsOf(store, push, attemptId, at);
  }
  if (left.length < keptTokens.length) await store.keepTokens({ attemptId, at, tokens: left });
  return left.length === 0 ? null : WAITING;
}

type Ended = { readonly status: 'ended'; readonly news: LoginResult };

/** Null for a token that is not the provider's, or whose claims can't be read. */
function asEnd(error: unknown): Ended | null {
  if (!(error instanceof Refusal)) throw error;
  const { code: reason } = error;
  if (reason === 'provider.mismatch') {
    return { status: 'ended', news: { result: 'failed', reason } };
  }
  const isTooLow = reason === 'assurance.insufficient';
  return isTooLow ? { status: 'ended', news: { result: 'rejected', reason } } : null;
}

async function newsOf(
  store: Needs['store'],
  push: Exclude<SignedPush, Unverified> | Ended,
  attemptId: AttemptId,
  at: Ms,
): Promise<LoginResult> {
  switch (push.status) {
    case 'ended':
      return push.news;
    case 'approved':
      return { result: 'approved', person: push.person };
    case 'rejected':
      return { result: 'rejected', reason: 'attempt.rejected' };
    case 'expired':
      await store.expirePush(attemptId, at);
      return WAITING;
  }
}

async function noteApproval(
  { store }: Needs,
  { attemptId }: AttemptRecord,
  now: Ms,
): Promise<LoginResult> {
  return newsOfApproval((await store.recordApprovalSeen(attemptId, now)) ?? now, now);
}

/** The attempt waits for the signed result, and fails when that is late. */
function newsOfApproval(seenAt: Ms, now: Ms): LoginResult {
  return isProofLate(seenAt, now)
    ? { result: 'failed', reason: 'provider.identity_missing' }
    : WAITING;
}
