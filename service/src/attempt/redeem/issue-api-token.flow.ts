import {
  API_TOKEN_BYTES,
  apiTokenDigest,
  makeApiToken,
  makeApiTokenId,
} from '../../account/api-token.ts';
import {
  acceptsCompletion,
  attemptAt,
  requireRedeemable,
  type Attempt,
  type AttemptRecord,
} from '../attempt.ts';
import { COMPLETION_CODE_TRIES, completionCodeDigest } from './completion-code.ts';
import { CODE_MISSING, codeWrong } from '../../errors/notes.ts';
import { Refusal } from '../../errors/refusal.ts';
import {
  deriveTokenSecret,
  REPLAY_SALT_BYTES,
  sealRedemption,
  type RedemptionSeal,
} from './idempotency.ts';
import type { Ms } from '../../values/time.ts';
import { asSignedInBy, isSignInEnded, type User } from '../../account/user.ts';
import { UUID_RANDOM_BYTES, type AttemptId } from '../../values/ids.ts';
import type { AttemptWithUser } from '../../store/ports/store.port.ts';
import { failAttempt } from '../finish/end-attempt.flow.ts';
import {
  collectResult,
  type CollectServices,
  findProvenAttempt,
  requireOwner,
} from '../read-attempt.flow.ts';
import type { ReportServices } from '../../audit/report.flow.ts';
import { replayRedemption } from './replay-redemption.flow.ts';
import type { IssuedToken, ProvenTokenRequest, TokenRequest } from './token-request.flow.ts';
import type { Services } from '../services.flow.ts';

type Needs = CollectServices &
  ReportServices &
  Pick<Services, 'clients' | 'heldSpoils' | 'random' | 'tokenLifetimeMs'>;

/** Exchanges an authenticated attempt for an API token, once. @throws Refusal */
export async function issueApiToken(
  services: Needs,
  request: TokenRequest,
  now: Ms,
): Promise<IssuedToken> {
  const proven = await findProvenAttempt(services, request.attemptId, request.attemptToken);
  requireOwner(services, proven.attempt, request.client);
  const issued = await redeemProven(services, proven, request, now);
  return { ...issued, user: asSignedInBy(issued.user, proven.attempt) };
}

async function redeemProven(
  services: Needs,
  proven: AttemptWithUser,
  request: TokenRequest,
  now: Ms,
): Promise<IssuedToken> {
  const found = await collectResult(services, proven, now);
  requireEnabled(found);
  const attempt = attemptAt(found.attempt, now);
  const asked = provenRequest(request, found);
  if (attempt.state === 'redeemed') return replayRedemption(services, attempt, asked, now);
  await endIfSpoiled(services, attempt, now);
  await failIfSignInsEnded(services, attempt, found.user, now);
  requireCompletionCode(services, attempt, asked);
  if (hasWrongCode(attempt, asked, now)) {
    await countWrongCode(services, attempt.record, now);
    return answerByNewState(services, found, asked, now);
  }
  requireRedeemable(attempt, { ...asked, at: now });
  const issued = await redeemOnce(services, found, asked, now);
  return issued ?? answerByNewState(services, found, asked, now);
}

function provenRequest(request: TokenRequest, { attempt }: AttemptWithUser): ProvenTokenRequest {
  const { completionCode } = request;
  const completionDigest = completionCode === null ? null : completionCodeDigest(completionCode);
  return { ...request, attemptId: attempt.attemptId, completionDigest };
}

/** The person is authenticated, but an operator has disabled the user. @throws Refusal */
function requireEnabled({ user }: AttemptWithUser): void {
  if (user !== null && user.disabledAt !== null) throw new Refusal('user.disabled');
}

/**
 * An open attempt that was spoiled while the store could not be written: it ends now.
 * @throws Refusal `attempt.failed`
 */
async function endIfSpoiled(
  services: Needs,
  { state, record: { attemptId } }: Attempt,
  at: Ms,
): Promise<void> {
  const isOpen = state === 'pending' || state === 'authenticated';
  if (isOpen && services.heldSpoils.has(attemptId)) await endSpoiled(services, attemptId, at);
}

/**
 * An attempt that an instance of an earlier version has authenticated, after an operator had ended
 * the person's sign-ins.
 * @throws Refusal `attempt.failed`
 */
async function failIfSignInsEnded(
  services: Needs,
  { state, record }: Attempt,
  user: User | null,
  at: Ms,
): Promise<void> {
  if (state !== 'authenticated' || user === null || !isSignInEnded(user, record)) return;
  const reason = 'attempt.failed';
  await failAttempt(services, { attemptId: record.attemptId, at, reason });
  throw new Refusal(reason);
}

async function endSpoiled(services: Needs, attemptId: AttemptId, at: Ms): Promise<never> {
  await failAttempt(services, { attemptId, at, reason: 'callback.browser_mismatch' });
  throw new Refusal('attempt.failed');
}

/** @throws Refusal `attempt.completion_required` */
function requireCompletionCode(
  { rules }: Needs,
  { state, record }: Attempt,
  asked: ProvenTokenRequest,
): void {
  const isRequired = rules.requiresCompletionCode && record.flow === 'oidc';
  const isMissing = state === 'authenticated' && asked.completionCode === null;
  if (isRequired && isMissing) {
    throw new Refusal('attempt.completion_required', { note: CODE_MISSING });
  }
}

function hasWrongCode({ state, record }: Attempt, asked: ProvenTokenRequest, at: Ms): boolean {
  return state === 'authenticated' && !acceptsCompletion(record, { ...asked, at });
}

/**
 * Counts a wrong completion code in the store. Returns where another request has changed the attempt
 * in the meantime.
 * @throws Refusal `attempt.completion_required`
 */
async function countWrongCode(
  { store, meter }: Needs,
  { attemptId }: AttemptRecord,
  at: Ms,
): Promise<void> {
  const missed = await store.countWrongCode(attemptId, at);
  if (missed === null) return;
  if (missed.failedAt !== null) {
    meter.signIn('failed', missed, missed.endReason ?? 'attempt.failed');
  }
  const left = Math.max(0, COMPLETION_CODE_TRIES - missed.completionMisses);
  throw new Refusal('attempt.completion_required', { note: codeWrong(left) });
}

/**
 * The store writes the token and redeems the attempt in one command of guarded statements, or does
 * neither. @returns null when the attempt can no longer be redeemed
 */
async function redeemOnce(
  services: Needs,
  { attempt: record, user }: AttemptWithUser,
  asked: ProvenTokenRequest,
  at: Ms,
): Promise<IssuedToken | null> {
  if (user === null) return null;
  const { seal, secret } = makeTokenSecret(services, asked);
  const text = makeApiToken(services.rules.tokenMark, secret);
  // Asked a second time, with nothing awaited between this and the write: the attempt may have been
  // spoiled since the first time.
  const { attemptId } = record;
  if (services.heldSpoils.has(attemptId)) await endSpoiled(services, attemptId, at);
  const token = await services.store.redeemAttempt({
    attemptId,
    tokenDigest: record.tokenDigest,
    at,
    completionDigest: asked.completionDigest,
    seal,
    token: {
      tokenId: makeApiTokenId(at, services.random.bytes(UUID_RANDOM_BYTES)),
      tokenDigest: apiTokenDigest(text.reveal()),
      deviceName: asked.deviceName,
      createdAt: at,
      expiresAt: at + services.tokenLifetimeMs,
    },
  });
  if (token === null) return null;
  services.meter.signIn('redeemed', record);
  return { token, user, text };
}

/**
 * With an Idempotency-Key the secret can be derived again for a repeat; without one it is random.
 */
function makeTokenSecret(
  { random, keys: { current } }: Needs,
  asked: ProvenTokenRequest,
): { seal: RedemptionSeal | null; secret: Uint8Array } {
  const { idempotencyKey } = asked;
  if (idempotencyKey === null) return { seal: null, secret: random.bytes(API_TOKEN_BYTES) };
  const salt = Buffer.from(random.bytes(REPLAY_SALT_BYTES)).toString('base64url');
  return {
    seal: sealRedemption(current, asked, idempotencyKey, salt),
    secret: deriveTokenSecret(current, asked, idempotencyKey, salt),
  };
}

/** Another request changed the attempt between our read and our write: answer by its state now. */
async function answerByNewState(
  services: Needs,
  { attempt: { attemptId } }: AttemptWithUser,
  asked: ProvenTokenRequest,
  now: Ms,
): Promise<IssuedToken> {
  const found = await services.store.findAttempt(attemptId);
  if (found === null) throw new Refusal('attempt.not_found');
  requireEnabled(found);
  const attempt = attemptAt(found.attempt, now);
  if (attempt.state === 'redeemed') return replayRedemption(services, attempt, asked, now);
  requireRedeemable(attempt, { ...asked, at: now });
  const cause = new Error('the store did not redeem an attempt that can be redeemed');
  throw new Refusal('storage.unavailable', { cause });
}
