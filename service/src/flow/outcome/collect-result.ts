import { attemptAt } from '../../domain/attempt.ts';
import type { AttemptRecord, CompletionProof, PendingAttempt } from '../../domain/attempt.ts';
import type { ErrorCode } from '../../domain/errors/catalogue.ts';
import { isProofLate } from '../../domain/provider-transaction.ts';
import type { Ms } from '../../domain/time.ts';
import type { LoginResult } from '../../ports/identity-provider.ts';
import type { AttemptWithUser } from '../../ports/store.ts';
import { finishLogin } from './finish-login.ts';
import type { Services } from '../services.ts';

/**
 * Brings an attempt up to date with what the person has decided at the provider. Only a pending one
 * can have news. Racing collectors are harmless: one write wins and all see its result.
 */
export async function collectResult(
  services: Services,
  found: AttemptWithUser,
  now: Ms,
  completion: CompletionProof | null = null,
): Promise<AttemptWithUser> {
  const attempt = attemptAt(found.attempt, now);
  if (attempt.state !== 'pending') return found;
  const changed = await applyNews(services, attempt, now, completion);
  return changed ? ((await services.store.findAttempt(found.attempt.attemptId)) ?? found) : found;
}

/** Whether there was any. */
async function applyNews(
  services: Services,
  { record }: PendingAttempt,
  at: Ms,
  completion: CompletionProof | null,
): Promise<boolean> {
  const { news, seenAt } = await askProvider(services, record, at);
  const { attemptId } = record;
  switch (news.result) {
    case 'waiting':
      return false;
    case 'unproven':
      return awaitProof(services, record, seenAt, at);
    case 'approved':
      await finishLogin(services, record, news.person, completion, at);
      return true;
    case 'rejected':
      await services.store.rejectAttempt({ attemptId, at, reason: news.reason });
      return true;
    case 'failed':
      await services.store.failAttempt({ attemptId, at, reason: news.reason });
      return true;
  }
}

interface Asked {
  readonly news: LoginResult;
  /** When the provider first said, without proof, that the person has approved. */
  readonly seenAt: Ms | null;
}

const NO_NEWS: Asked = { news: { result: 'waiting' }, seenAt: null };

async function askProvider(services: Services, record: AttemptRecord, at: Ms): Promise<Asked> {
  const { provider, store } = services;
  if (!provider.isRemote) return { news: await provider.collect(record, null, at), seenAt: null };
  // A redirect ends in the browser that began it, and never by asking.
  if (record.flow === 'oidc') return NO_NEWS;
  const known = await store.findTransaction(record.attemptId);
  // The answer to the start is still on its way.
  if (known?.transaction.kind !== 'push') return NO_NEWS;
  const { completedSeenAt: seenAt } = known.transaction;
  if (seenAt !== null) return { news: { result: 'unproven' }, seenAt };
  return { news: await provider.collect(record, known.transaction, at), seenAt };
}

/** An approval without its proof authenticates nobody, and does not wait for ever. */
async function awaitProof(
  { store }: Services,
  { attemptId }: AttemptRecord,
  known: Ms | null,
  at: Ms,
): Promise<boolean> {
  const seenAt = known ?? (await store.seeCompleted(attemptId, at)) ?? at;
  if (!isProofLate(seenAt, at)) return false;
  const reason: ErrorCode = 'provider.identity_missing';
  await store.failAttempt({ attemptId, at, reason });
  return true;
}
