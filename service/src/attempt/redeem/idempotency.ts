import { IDEMPOTENCY_KEY_PATTERN, REPLAY_WINDOW_SECONDS } from '@miftah/contract/values';
import { keyedDigest, keyedDigestText, sameDigest, type Digest } from '../../values/secret.ts';
import type { AttemptId } from '../../values/ids.ts';
import { SECOND_MS, type Ms } from '../../values/time.ts';

/** How long after a redemption the same Idempotency-Key gets the same answer (decision 0005). */
export const REPLAY_WINDOW_MS = REPLAY_WINDOW_SECONDS * SECOND_MS;
/** The fifth wrong key ends the replay window. */
export const REPLAY_TRIES = 5;
export const REPLAY_SALT_BYTES = 32;

const KEY_FORM = new RegExp(IDEMPOTENCY_KEY_PATTERN);

export function isIdempotencyKey(text: string): boolean {
  return KEY_FORM.test(text);
}

/**
 * What the store keeps of a redemption so that a repeated request gets the same answer. The API
 * token is not stored: it is derived again from the caller's attempt token and key, the server's
 * secret and this salt. The salt is erased when the replay window ends.
 */
export interface RedemptionSeal {
  readonly salt: string;
  readonly keyDigest: Digest;
  readonly bodyDigest: Digest;
  readonly misses: number;
}

/** The parts of a redemption request that must be equal for it to count as a repeat. */
export interface RedemptionRequest {
  readonly attemptId: AttemptId;
  readonly attemptToken: string;
  readonly deviceName: string | null;
  readonly completionCode: string | null;
}

export function sealRedemption(
  serverKey: Uint8Array,
  request: RedemptionRequest,
  idempotencyKey: string,
  salt: string,
): RedemptionSeal {
  return {
    salt,
    keyDigest: keyDigest(serverKey, request, idempotencyKey),
    bodyDigest: bodyDigest(serverKey, request),
    misses: 0,
  };
}

/** Derives the 32 bytes of an API token: always the same for the same request, key and salt. */
export function deriveTokenSecret(
  serverKey: Uint8Array,
  { attemptId, attemptToken }: RedemptionRequest,
  idempotencyKey: string,
  salt: string,
): Uint8Array {
  return keyedDigest(serverKey, 'api-token', attemptId, attemptToken, idempotencyKey, salt);
}

export function isReplayOpen(seal: RedemptionSeal, redeemedAt: Ms, now: Ms): boolean {
  return now < redeemedAt + REPLAY_WINDOW_MS && seal.misses < REPLAY_TRIES;
}

export function hasSameKey(
  serverKey: Uint8Array,
  seal: RedemptionSeal,
  request: RedemptionRequest,
  idempotencyKey: string,
): boolean {
  return sameDigest(seal.keyDigest, keyDigest(serverKey, request, idempotencyKey));
}

export function hasSameBody(
  serverKey: Uint8Array,
  seal: RedemptionSeal,
  request: RedemptionRequest,
): boolean {
  return sameDigest(seal.bodyDigest, bodyDigest(serverKey, request));
}

function keyDigest(key: Uint8Array, { attemptId }: RedemptionRequest, idempotencyKey: string) {
  return keyedDigestText(key, 'idempotency-key', attemptId, idempotencyKey);
}

function bodyDigest(key: Uint8Array, request: RedemptionRequest): Digest {
  const { attemptId, attemptToken, deviceName, completionCode } = request;
  // JSON, because it distinguishes an absent member from an empty one.
  const body = JSON.stringify([attemptToken, deviceName, completionCode]);
  return keyedDigestText(key, 'redemption-body', attemptId, body);
}
