import { attemptAt, type AttemptRecord, type CompletionProof } from '../attempt.ts';
import type { Ms } from '../../values/time.ts';
import type { LoginResult } from '../../provider/identity-provider.port.ts';
import type { AttemptWithUser } from '../../store/ports/store.port.ts';
import type { Services } from '../services.flow.ts';
import { failAttempt, rejectAttempt } from './end-attempt.flow.ts';
import { finishLogin, type LoginServices } from './finish-login.flow.ts';

export type CollectServices = LoginServices & Pick<Services, 'collectNews'>;

/**
 * Updates a pending attempt with what the person has decided at the provider. Other attempts are
 * returned as they are. Several calls at the same time are harmless: one write succeeds, and all
 * return its result.
 */
export async function collectResult(
  services: CollectServices,
  found: AttemptWithUser,
  now: Ms,
  completion: CompletionProof | null = null,
): Promise<AttemptWithUser> {
  const attempt = attemptAt(found.attempt, now);
  if (attempt.state !== 'pending') return found;
  const news = await services.collectNews(attempt.record, now);
  return storeResult(services, found, news, { at: now, completion });
}

interface ResultAt {
  readonly at: Ms;
  readonly completion: CompletionProof | null;
}

/**
 * Writes what the provider says of a pending attempt. @returns the attempt as it is then, by this
 * write or an earlier one
 */
export async function storeResult(
  services: LoginServices,
  found: AttemptWithUser,
  news: LoginResult,
  result: ResultAt,
): Promise<AttemptWithUser> {
  if (news.result === 'waiting') return found;
  const written = await writeResult(services, found.attempt, news, result);
  return written ?? (await services.store.findAttempt(found.attempt.attemptId)) ?? found;
}

/** @returns null when another write came first, or what was written has a user that is not known */
async function writeResult(
  services: LoginServices,
  record: AttemptRecord,
  news: Exclude<LoginResult, { result: 'waiting' }>,
  { at, completion }: ResultAt,
): Promise<AttemptWithUser | null> {
  const { attemptId } = record;
  switch (news.result) {
    case 'approved':
      return finishLogin(services, record, news.person, completion, at);
    case 'rejected':
      return withoutUser(await rejectAttempt(services, { attemptId, at, reason: news.reason }));
    case 'failed':
      return withoutUser(await failAttempt(services, { attemptId, at, reason: news.reason }));
  }
}

/** Null for one with a user: it was authenticated meanwhile, and then failed. */
function withoutUser(ended: AttemptRecord | null): AttemptWithUser | null {
  return ended === null || ended.userId !== null ? null : { attempt: ended, user: null };
}
