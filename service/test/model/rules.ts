import type { ApiTokenRecord } from '../../src/account/api-token.ts';
import type { Login, User, UserId } from '../../src/account/user.ts';
import type {
  AttemptRecord,
  AttemptState,
  CompletionProof,
  PresentedCode,
  Redemption,
} from '../../src/attempt/attempt.ts';
import type { Flow } from '../../src/attempt/flow.ts';
import type { ErrorCode } from '../../src/errors/catalogue.ts';
import type { Digest } from '../../src/values/secret.ts';
import type { Ms } from '../../src/values/time.ts';

// The rules of attempts, people and tokens, written out again: what the service has wrong in
// attempt/attempt.ts, or in the statements of a database, is not wrong here too. A transition that
// is refused gives null.

export const LIFETIME_MS = 5 * 60_000;
const WRONG_CODES_ALLOWED = 4;

export function expiryOf({ expiresAt, providerExpiresAt }: AttemptRecord): Ms {
  return providerExpiresAt !== null && providerExpiresAt < expiresAt
    ? providerExpiresAt
    : expiresAt;
}

export function stateOf(attempt: AttemptRecord, at: Ms): AttemptState {
  if (attempt.redeemedAt !== null) return 'redeemed';
  if (attempt.failedAt !== null) return 'failed';
  if (attempt.rejectedAt !== null) return 'rejected';
  if (expiryOf(attempt) <= at) return 'expired';
  return attempt.authenticatedAt === null ? 'pending' : 'authenticated';
}

export function isOpen(attempt: AttemptRecord, at: Ms): boolean {
  return ['pending', 'authenticated'].includes(stateOf(attempt, at));
}

interface Approval {
  readonly flow: Flow;
  readonly at: Ms;
  readonly userId: UserId;
  readonly completion: CompletionProof | null;
}

export function authenticated(attempt: AttemptRecord, by: Approval): AttemptRecord | null {
  if (stateOf(attempt, by.at) !== 'pending' || attempt.flow !== by.flow) return null;
  const { digest: completionDigest = null, expiresAt: completionExpiresAt = null } =
    by.completion ?? {};
  const whose = { userId: by.userId, authenticatedAt: by.at, providerExpiresAt: null };
  return { ...attempt, ...whose, completionDigest, completionExpiresAt };
}

export function rejected(attempt: AttemptRecord, at: Ms, reason: ErrorCode): AttemptRecord | null {
  if (stateOf(attempt, at) !== 'pending') return null;
  return { ...attempt, rejectedAt: at, endReason: reason };
}

export function failed(attempt: AttemptRecord, at: Ms, reason: ErrorCode): AttemptRecord | null {
  return isOpen(attempt, at) ? { ...attempt, failedAt: at, endReason: reason } : null;
}

/** Who had approved it is forgotten. */
export function cancelled(attempt: AttemptRecord, at: Ms): AttemptRecord | null {
  if (!isOpen(attempt, at)) return null;
  const nobody = { userId: null, authenticatedAt: null };
  const noCode = { completionDigest: null, completionExpiresAt: null };
  return { ...attempt, ...nobody, ...noCode, rejectedAt: at, endReason: 'attempt.cancelled' };
}

/** The fifth wrong code ends the attempt. */
export function withWrongCode(attempt: AttemptRecord, at: Ms): AttemptRecord | null {
  if (stateOf(attempt, at) !== 'authenticated') return null;
  const counted = { ...attempt, completionMisses: attempt.completionMisses + 1 };
  const isLast = counted.completionMisses > WRONG_CODES_ALLOWED;
  return isLast ? { ...counted, failedAt: at, endReason: 'attempt.failed' } : counted;
}

export function redeemed(attempt: AttemptRecord, by: Redemption): AttemptRecord | null {
  if (stateOf(attempt, by.at) !== 'authenticated' || !isRightCode(attempt, by)) return null;
  return { ...attempt, redeemedAt: by.at, redemption: by.seal };
}

function isRightCode(attempt: AttemptRecord, { completionDigest, at }: PresentedCode): boolean {
  if (completionDigest === null) return true;
  const { completionDigest: expected, completionExpiresAt: until } = attempt;
  return completionDigest === expected && until !== null && at < until;
}

export function isProven(attempt: AttemptRecord, tokenDigest: Digest): boolean {
  return attempt.tokenDigest === tokenDigest;
}

/** Whether the person, or the provider in their place, has refused: not the application. */
export function isRefused({ rejectedAt, endReason }: AttemptRecord): boolean {
  return rejectedAt !== null && endReason !== 'attempt.cancelled';
}

export function isTokenActive({ revokedAt, expiresAt }: ApiTokenRecord, now: Ms): boolean {
  return revokedAt === null && expiresAt > now;
}

/** Whether an operator has ended the person's sign-ins at or after the start of this attempt. */
export function isEndedFor({ signInsEndedAt }: User, { createdAt }: AttemptRecord): boolean {
  return signInsEndedAt !== null && signInsEndedAt >= createdAt;
}

type Kept = Pick<User, 'id' | 'createdAt' | 'disabledAt' | 'signInsEndedAt'>;

/**
 * The provider's current data replaces the earlier data. The id, the time of the first login and what
 * an operator has decided stay.
 */
export function signedIn(kept: Kept, { person, flow, preferredLocale, at }: Login): User {
  return {
    ...person,
    id: kept.id,
    createdAt: kept.createdAt,
    disabledAt: kept.disabledAt,
    signInsEndedAt: kept.signInsEndedAt,
    preferredLocale,
    lastAuthMethod: flow,
    updatedAt: at,
  };
}

/** As the stores number people: 1, 2, 3 and so on. */
export function userIdOf(number: number): UserId {
  return number as UserId;
}
