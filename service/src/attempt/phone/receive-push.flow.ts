import { parseAttemptId, type AttemptId } from '../../values/ids.ts';
import { attemptAt, type AttemptRecord } from '../attempt.ts';
import { Refusal } from '../../errors/refusal.ts';
import type { Ms } from '../../values/time.ts';
import { isProofLate, keepToken, type PushTransaction } from '../provider-transaction.ts';
import type { PushMessage, SignedPush, Unverified } from '../../provider/identity-provider.port.ts';
import { failAttempt, rejectAttempt } from '../finish/end-attempt.flow.ts';
import { endOnFinalError } from '../finish/end-on-final-error.flow.ts';
import { finishLogin, type LoginServices } from '../finish/finish-login.flow.ts';
import { reportRefusedToken } from '../finish/report-refused-token.flow.ts';
import { report, type ReportServices } from '../../audit/report.flow.ts';
import type { LiveServices } from '../services.flow.ts';

export type PushNeeds = LoginServices &
  ReportServices &
  Pick<LiveServices, 'attemptLock' | 'provider'>;

/**
 * For a message that arrives before its transaction is stored: the provider sends it again after a
 * 503.
 */
const EARLY_RETRY_SECONDS = 1;

/**
 * Handles the signed result of a push, which the provider sends to its callback. It can arrive
 * early, late, twice, or for an unknown attempt; it has an effect only if it is genuine and its
 * attempt is pending. One whose key can't be known yet is kept, because not every provider sends it
 * again (`deliver-kept.flow.ts`); the refusal asks the provider to.
 * @throws Refusal `push.unverified`, `provider.mismatch`, `provider.bad_response`,
 * `assurance.insufficient` or `provider.unavailable`
 */
export async function receivePush(
  services: PushNeeds,
  message: PushMessage,
  now: Ms,
): Promise<void> {
  const attemptId = parseAttemptId(message.requestId);
  const known = attemptId === null ? null : await findTransaction(services, attemptId, now);
  // The attempt is unknown or ended without a transaction, so the message can't be verified.
  if (known === null) return;
  const push = await readPush(services, message, known, now, null);
  if (push?.status === 'unverified') throw await keepPush(services, known.attempt, push, now);
  if (push !== null) await applyResult(services, known, push, now);
}

/** Keeps the token if it has a place. @returns what the provider is told */
async function keepPush(
  { store, attemptLock }: PushNeeds,
  { attemptId }: AttemptRecord,
  { kept, refusal }: Unverified,
  at: Ms,
): Promise<Refusal> {
  await attemptLock.run(attemptId, async () => {
    const known = (await store.findTransaction(attemptId))?.transaction.keptTokens ?? [];
    const tokens = keepToken(known, kept);
    if (tokens !== known) await store.keepTokens({ attemptId, at, tokens });
  });
  return refusal;
}

/** Does nothing when the attempt has ended. */
export async function applyResult(
  services: PushNeeds,
  { attempt, transaction }: KnownPush,
  push: Exclude<SignedPush, Unverified>,
  at: Ms,
): Promise<void> {
  const { attemptId } = attempt;
  if (attemptAt(attempt, at).state !== 'pending') return;
  if (isProofLate(transaction, at)) {
    await failAttempt(services, { attemptId, at, reason: 'provider.identity_missing' });
    return;
  }
  switch (push.status) {
    case 'approved':
      await finishLogin(services, attempt, push.person, null, at);
      return;
    case 'rejected':
      await rejectAttempt(services, { attemptId, at, reason: 'attempt.rejected' });
      return;
    case 'expired':
      await services.store.expirePush(attemptId, at);
  }
}

/**
 * Errors that end the attempt: they are found only after the signature was verified. An unverified
 * message ends nothing, because anybody can send one; a genuine one with unreadable claims neither.
 */
const FINAL_ERRORS = new Set(['provider.mismatch', 'assurance.insufficient'] as const);

/**
 * Null when the attempt has ended, because its national id was erased then.
 * @param cameAt when it came; null for one that comes now
 * @throws Refusal
 */
export async function readPush(
  services: PushNeeds,
  message: PushMessage,
  { attempt, transaction }: KnownPush,
  now: Ms,
  cameAt: Ms | null,
): Promise<SignedPush | null> {
  if (attempt.nationalId === null) return null;
  const expected = { attempt, transactionId: transaction.transactionId };
  try {
    return await services.provider.readPush(message, expected, cameAt);
  } catch (error) {
    await endOnFinalError(services, attempt.attemptId, FINAL_ERRORS, error, now);
    await reportMismatch(services, attempt, error, now);
    await reportRefusedToken(services, attempt, error, { at: now, source: 'callback' });
    throw error;
  }
}

/** The provider's signed result names another person than the attempt: an operator must be told. */
async function reportMismatch(
  services: PushNeeds,
  { attemptId, client }: AttemptRecord,
  error: unknown,
  at: Ms,
): Promise<void> {
  if (!(error instanceof Refusal) || error.code !== 'provider.mismatch') return;
  await report(services, { at, action: 'provider.mismatch', attemptId, client });
}

export interface KnownPush {
  readonly attempt: AttemptRecord;
  readonly transaction: PushTransaction;
}

/**
 * Waits while the start of the attempt is still running. Null when no push can be found.
 * @throws Refusal
 */
async function findTransaction(
  { store, attemptLock }: Pick<LiveServices, 'attemptLock' | 'store'>,
  attemptId: AttemptId,
  now: Ms,
): Promise<KnownPush | null> {
  await attemptLock.settled(attemptId);
  const known = await store.findTransaction(attemptId);
  if (known?.transaction.kind === 'push') {
    return { attempt: known.attempt, transaction: known.transaction };
  }
  const attempt = (await store.findAttempt(attemptId))?.attempt;
  if (attempt?.flow !== 'mfa' || attemptAt(attempt, now).state !== 'pending') return null;
  throw new Refusal('provider.unavailable', { retryAfterSeconds: EARLY_RETRY_SECONDS });
}
