import { attemptAt, type AttemptRecord, type CompletionProof } from '../../domain/attempt.ts';
import type { Ms } from '../../domain/time.ts';
import type { LoginResult } from '../../ports/identity-provider.ts';
import type { AttemptWithUser } from '../../ports/store/index.ts';
import type { Services } from '../services.ts';
import { failAttempt, rejectAttempt } from './end-attempt.ts';
import { finishLogin, type LoginServices } from './finish-login.ts';

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
  return storeResult(services, found, await services.collectNews(attempt.record, now), {
    at: now,
    completion,
  });
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
  const changed = await writeResult(services, found.attempt, news, result);
  return changed ? ((await services.store.findAttempt(found.attempt.attemptId)) ?? found) : found;
}

/** @returns whether the attempt changed */
async function writeResult(
  services: LoginServices,
  record: AttemptRecord,
  news: LoginResult,
  { at, completion }: ResultAt,
): Promise<boolean> {
  const { attemptId } = record;
  switch (news.result) {
    case 'waiting':
      return false;
    case 'approved':
      await finishLogin(services, record, news.person, completion, at);
      return true;
    case 'rejected':
      await rejectAttempt(services, { attemptId, at, reason: news.reason });
      return true;
    case 'failed':
      await failAttempt(services, { attemptId, at, reason: news.reason });
      return true;
  }
}
