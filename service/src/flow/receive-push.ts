import { parseAttemptId } from '../domain/attempt-id.ts';
import { attemptAt, type AttemptRecord } from '../domain/attempt.ts';
import { Refusal } from '../domain/errors/refusal.ts';
import type { Ms } from '../domain/time.ts';
import type { PushMessage } from '../ports/signed-results.ts';
import { finishLogin } from './finish-login.ts';
import type { LiveTools } from './tools.ts';

/** The provider repeats a message that met an outage; the answer to the start is soon here. */
const EARLY_RETRY_SECONDS = 1;

/**
 * The signed result of a push, by the provider's own callback. It may come early, late, twice or
 * for an attempt that nobody knows any more; only a genuine one for a pending attempt has an effect.
 * @throws Refusal `push.unverified`, `provider.mismatch` or `provider.unavailable`
 */
export async function receivePush(tools: LiveTools, message: PushMessage, now: Ms): Promise<void> {
  const attemptId = parseAttemptId(message.requestId);
  const found = attemptId === null ? null : await tools.store.findAttempt(attemptId);
  if (found?.attempt.flow !== 'mfa') return;
  const { attempt } = found;
  const transactionId = await transactionIdOf(tools, attempt, now);
  // An attempt that ended before its start was answered: there is nothing to check it against.
  if (transactionId === null) return;
  const push = await tools.signed.readPush(message, { attempt, transactionId }, now);
  if (attemptAt(attempt, now).state !== 'pending') return;
  if (push.status === 'approved') {
    await finishLogin(tools, attempt, push.person, null, now);
    return;
  }
  const reason = 'attempt.rejected';
  await tools.store.rejectAttempt({ attemptId: attempt.attemptId, at: now, reason });
}

/** A message that overtakes the answer to its own start is asked for again. @throws Refusal */
async function transactionIdOf(
  { store }: LiveTools,
  attempt: AttemptRecord,
  now: Ms,
): Promise<string | null> {
  const known = await store.findTransaction(attempt.attemptId);
  if (known?.transaction.kind === 'push') return known.transaction.transactionId;
  if (attemptAt(attempt, now).state !== 'pending') return null;
  throw new Refusal('provider.unavailable', { retryAfterSeconds: EARLY_RETRY_SECONDS });
}
