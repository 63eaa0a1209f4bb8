import { attemptAt, type CompletionProof, type PendingAttempt } from '../../domain/attempt.ts';
import type { Ms } from '../../domain/time.ts';
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
  const changed = await applyNews(services, attempt, now, completion);
  return changed ? ((await services.store.findAttempt(found.attempt.attemptId)) ?? found) : found;
}

/** @returns whether the attempt changed */
async function applyNews(
  services: CollectServices,
  { record }: PendingAttempt,
  at: Ms,
  completion: CompletionProof | null,
): Promise<boolean> {
  const news = await services.collectNews(record, at);
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
