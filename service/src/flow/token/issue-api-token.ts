import {
  API_TOKEN_BYTES,
  apiTokenDigest,
  makeApiToken,
  makeApiTokenId,
} from '../../domain/api-token.ts';
import {
  attemptAt,
  acceptsCompletion,
  redeem,
  type Attempt,
  type AttemptRecord,
} from '../../domain/attempt.ts';
import { Refusal } from '../../domain/errors/refusal.ts';
import {
  deriveTokenSecret,
  REPLAY_SALT_BYTES,
  sealRedemption,
  type RedemptionSeal,
} from '../../domain/idempotency.ts';
import type { Ms } from '../../domain/time.ts';
import { asSignedInBy } from '../../domain/user.ts';
import { UUID_RANDOM_BYTES } from '../../domain/uuid.ts';
import type { AttemptWithUser } from '../../ports/store.ts';
import { collectResult, type CollectServices } from '../outcome/collect-result.ts';
import { findProvenAttempt } from '../find-attempt.ts';
import type { ReportServices } from '../report.ts';
import { replayRedemption } from './replay-redemption.ts';
import {
  digestOfCode,
  type ProvenTokenRequest,
  type IssuedToken,
  type TokenRequest,
} from './token-request.ts';
import type { Services } from '../services.ts';

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
  requireClient(services, proven.attempt, request);
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
  await requireUnspoiled(services, found, now);
  const attempt = attemptAt(found.attempt, now);
  const asked = { ...request, attemptId: found.attempt.attemptId };
  if (attempt.state === 'redeemed') return replayRedemption(services, attempt, asked, now);
  await requireCompletion(services, attempt, asked, now);
  const issued = await redeemOnce(services, attempt.record, asked, now);
  return issued ?? answerByNewState(services, found, asked, now);
}

/**
 * Only a confidential client's own back end can redeem its attempts; for others they do not exist.
 */
function requireClient(services: Needs, record: AttemptRecord, { client }: TokenRequest): void {
  if (services.rules.redeemedBy === 'anybody') return;
  const owner = services.clients.find(record.client);
  const isTheirs = owner?.type === 'public' || client === owner?.id;
  if (owner === null || !isTheirs) throw new Refusal('attempt.not_found');
}

/** The person is authenticated, but an operator has disabled the user. @throws Refusal */
function requireEnabled({ user }: AttemptWithUser): void {
  if (user !== null && user.disabledAt !== null) throw new Refusal('user.disabled');
}

/**
 * An attempt that was spoiled while the store could not be written: it ends now. @throws Refusal
 * `attempt.failed`
 */
async function requireUnspoiled(
  { heldSpoils, store }: Needs,
  { attempt: { attemptId, redeemedAt } }: AttemptWithUser,
  at: Ms,
): Promise<void> {
  if (redeemedAt !== null || !heldSpoils.has(attemptId)) return;
  await store.failAttempt({ attemptId, at, reason: 'callback.browser_mismatch' });
  throw new Refusal('attempt.failed');
}

/**
 * Counts a wrong completion code; every other error is refused without being counted. @throws
 * Refusal
 */
async function requireCompletion(
  { store, rules }: Needs,
  attempt: Attempt,
  asked: ProvenTokenRequest,
  at: Ms,
): Promise<void> {
  const completionDigest = digestOfCode(asked);
  if (attempt.state === 'authenticated') {
    const isRequired = rules.requiresCompletionCode && attempt.record.flow === 'oidc';
    if (isRequired && completionDigest === null) throw new Refusal('attempt.completion_required');
    const accepted = acceptsCompletion(attempt.record, { completionDigest, at });
    if (!accepted) await store.missCompletion(asked.attemptId, at);
  }
  redeem(attempt, { at, completionDigest, seal: null });
}

async function redeemOnce(
  services: Needs,
  { tokenDigest }: AttemptRecord,
  asked: ProvenTokenRequest,
  at: Ms,
): Promise<IssuedToken | null> {
  const { seal, secret } = makeTokenSecret(services, asked);
  const text = makeApiToken(services.rules.tokenMark, secret);
  const redeemed = await services.store.redeemAttempt({
    attemptId: asked.attemptId,
    tokenDigest,
    at,
    completionDigest: digestOfCode(asked),
    seal,
    token: {
      tokenId: makeApiTokenId(at, services.random.bytes(UUID_RANDOM_BYTES)),
      tokenDigest: apiTokenDigest(text.reveal()),
      deviceName: asked.deviceName,
      createdAt: at,
      expiresAt: at + services.tokenLifetimeMs,
    },
  });
  return redeemed === null ? null : { ...redeemed, text };
}

/**
 * With an Idempotency-Key the secret can be derived again for a repeat; without one it is random.
 */
function makeTokenSecret(
  { random, serverKey }: Needs,
  asked: ProvenTokenRequest,
): { seal: RedemptionSeal | null; secret: Uint8Array } {
  const { idempotencyKey } = asked;
  if (idempotencyKey === null) return { seal: null, secret: random.bytes(API_TOKEN_BYTES) };
  const salt = Buffer.from(random.bytes(REPLAY_SALT_BYTES)).toString('base64url');
  return {
    seal: sealRedemption(serverKey, asked, idempotencyKey, salt),
    secret: deriveTokenSecret(serverKey, asked, idempotencyKey, salt),
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
  redeem(attempt, { at: now, completionDigest: digestOfCode(asked), seal: null });
  throw new Refusal('storage.unavailable');
}
