import { attemptAt } from '../domain/attempt.ts';
import type { CompletionProof, PendingAttempt } from '../domain/attempt.ts';
import type { Ms } from '../domain/time.ts';
import type { AttemptWithUser } from '../ports/store.ts';
import { finishLogin } from './finish-login.ts';
import type { Tools } from './tools.ts';

/**
 * Brings an attempt up to date with what the person has decided at the provider. Only a pending one
 * can have news. Racing collectors are harmless: one write wins and all see its result.
 */
export async function collectResult(
  tools: Tools,
  found: AttemptWithUser,
  now: Ms,
  completion: CompletionProof | null = null,
): Promise<AttemptWithUser> {
  const attempt = attemptAt(found.attempt, now);
  if (attempt.state !== 'pending') return found;
  return (await applyNews(tools, attempt, now, completion)) ?? found;
}

async function applyNews(
  tools: Tools,
  { record }: PendingAttempt,
  at: Ms,
  completion: CompletionProof | null,
): Promise<AttemptWithUser | null> {
  const news = await tools.provider.collect(record, at);
  const { attemptId } = record;
  switch (news.result) {
    case 'waiting':
      return null;
    case 'approved':
      await finishLogin(tools, record, news.person, completion, at);
      break;
    case 'rejected':
      await tools.store.rejectAttempt({ attemptId, at, reason: news.reason });
      break;
    case 'failed':
      await tools.store.failAttempt({ attemptId, at, reason: news.reason });
      break;
  }
  return tools.store.findAttempt(attemptId);
}
