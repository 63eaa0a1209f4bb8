import { attemptAt } from '../domain/attempt.ts';
import type { AttemptRecord, CompletionProof, PendingAttempt } from '../domain/attempt.ts';
import type { ErrorCode } from '../domain/errors/catalogue.ts';
import { SECOND_MS, type Ms } from '../domain/time.ts';
import type { LoginResult } from '../ports/identity-provider.ts';
import type { AttemptWithUser } from '../ports/store.ts';
import { finishLogin } from './finish-login.ts';
import type { Tools } from './tools.ts';

/** How long the signed result may lag behind the provider's word that the person has approved. */
const PROOF_DEADLINE_MS = 30 * SECOND_MS;

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
  const changed = await applyNews(tools, attempt, now, completion);
  return changed ? ((await tools.store.findAttempt(found.attempt.attemptId)) ?? found) : found;
}

/** Whether there was any. */
async function applyNews(
  tools: Tools,
  { record }: PendingAttempt,
  at: Ms,
  completion: CompletionProof | null,
): Promise<boolean> {
  const news = await askProvider(tools, record, at);
  const { attemptId } = record;
  switch (news.result) {
    case 'waiting':
      return false;
    case 'unproven':
      return awaitProof(tools, record, at);
    case 'approved':
      await finishLogin(tools, record, news.person, completion, at);
      return true;
    case 'rejected':
      await tools.store.rejectAttempt({ attemptId, at, reason: news.reason });
      return true;
    case 'failed':
      await tools.store.failAttempt({ attemptId, at, reason: news.reason });
      return true;
  }
}

async function askProvider(tools: Tools, record: AttemptRecord, at: Ms): Promise<LoginResult> {
  if (!tools.provider.isRemote) return tools.provider.collect(record, null, at);
  const known = await tools.store.findTransaction(record.attemptId);
  // The answer to the start is still on its way.
  if (known === null) return { result: 'waiting' };
  return tools.provider.collect(record, known.transaction, at);
}

/** An approval without its proof authenticates nobody, and does not wait for ever. */
async function awaitProof({ store }: Tools, { attemptId }: AttemptRecord, at: Ms) {
  const seenAt = (await store.seeCompleted(attemptId, at)) ?? at;
  if (at < seenAt + PROOF_DEADLINE_MS) return false;
  const reason: ErrorCode = 'provider.identity_missing';
  await store.failAttempt({ attemptId, at, reason });
  return true;
}
