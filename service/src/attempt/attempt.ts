import { ATTEMPT_LIFETIME_SECONDS, POLL_SECONDS } from '@miftah/contract/values';
import { sameDigest, NO_DIGEST, type Digest, Secret, digestOf } from '../values/secret.ts';
import type { AttemptId } from '../values/ids.ts';
import { COMPLETION_CODE_TRIES } from './redeem/completion-code.ts';
import type { ErrorCode } from '../errors/catalogue.ts';
import { Refusal } from '../errors/refusal.ts';
import type { Flow } from './flow.ts';
import type { RedemptionSeal } from './redeem/idempotency.ts';
import type { Locale } from '../values/locale.ts';
import type { NationalId, UserId } from '../account/user.ts';
import type { Scenario } from './scenario.ts';
import { SECOND_MS, type Ms } from '../values/time.ts';

export const ATTEMPT_LIFETIME_MS = ATTEMPT_LIFETIME_SECONDS * SECOND_MS;
export const BINDING_CODE_LENGTH = 6;
/** Why an attempt ended that its application has cancelled. */
export const CANCELLED = 'attempt.cancelled' satisfies ErrorCode;

/** What is fixed when an attempt starts. */
interface AttemptStart {
  readonly attemptId: AttemptId;
  readonly flow: Flow;
  readonly client: string;
  readonly tokenDigest: Digest;
  readonly locale: Locale;
  /** The identifier of the person that the start names; null in the redirect flow. */
  readonly nationalId: NationalId | null;
  /** The number to match on the phone (CIBA's binding_message); null in the redirect flow. */
  readonly bindingCode: string | null;
  /** Where the browser goes after the sign-in; null where the mode's default address is used. */
  readonly returnAddress: string | null;
  readonly createdAt: Ms;
  readonly expiresAt: Ms;
  /** When the provider's own transaction expires, which may be before or after the attempt does. */
  readonly providerExpiresAt: Ms | null;
  /** What a test has chosen, in simulator mode; always null in live mode. */
  readonly scenario: Scenario | null;
}

/**
 * An attempt as it is stored. It has no status: its state follows from the times that are set and
 * from the current time (decision 0001).
 */
export interface AttemptRecord extends AttemptStart {
  readonly authenticatedAt: Ms | null;
  readonly rejectedAt: Ms | null;
  readonly failedAt: Ms | null;
  readonly redeemedAt: Ms | null;
  readonly userId: UserId | null;
  /** Why the attempt was rejected or failed. */
  readonly endReason: ErrorCode | null;
  readonly completionDigest: Digest | null;
  readonly completionExpiresAt: Ms | null;
  readonly completionMisses: number;
  readonly redemption: RedemptionSeal | null;
}

export type AttemptState =
  'pending' | 'authenticated' | 'redeemed' | 'rejected' | 'failed' | 'expired';

interface In<State extends AttemptState> {
  readonly state: State;
  readonly record: AttemptRecord;
}

export type PendingAttempt = In<'pending'>;
export type AuthenticatedAttempt = In<'authenticated'> & { readonly userId: UserId };
export type RedeemedAttempt = In<'redeemed'> & {
  readonly userId: UserId;
  readonly redeemedAt: Ms;
};
export type EndedAttempt = (In<'rejected'> | In<'failed'>) & { readonly reason: ErrorCode };
export type ExpiredAttempt = In<'expired'>;

export type Attempt =
  PendingAttempt | AuthenticatedAttempt | RedeemedAttempt | EndedAttempt | ExpiredAttempt;

export function startAttempt(start: Omit<AttemptStart, 'expiresAt'>): AttemptRecord {
  return {
    ...start,
    expiresAt: start.createdAt + ATTEMPT_LIFETIME_MS,
    authenticatedAt: null,
    rejectedAt: null,
    failedAt: null,
    redeemedAt: null,
    userId: null,
    endReason: null,
    completionDigest: null,
    completionExpiresAt: null,
    completionMisses: 0,
    redemption: null,
  };
}

/** The attempt's expiry or the provider's, whichever is earlier. */
export function expiryOf(record: AttemptRecord): Ms {
  return Math.min(record.expiresAt, record.providerExpiresAt ?? record.expiresAt);
}

/**
 * The state of an attempt at the moment `now`. Ended attempts stay ended; only open ones can
 * expire.
 * @throws Error for a combination of times that no transition produces: a damaged row has no state.
 */
export function attemptAt(record: AttemptRecord, now: Ms): Attempt {
  assertPossible(record);
  const { userId, redeemedAt } = record;
  if (redeemedAt !== null && userId !== null) {
    return { state: 'redeemed', record, userId, redeemedAt };
  }
  if (record.failedAt !== null) return ended('failed', record);
  if (record.rejectedAt !== null) return ended('rejected', record);
  if (now >= expiryOf(record)) return { state: 'expired', record };
  if (userId !== null) return { state: 'authenticated', record, userId };
  return { state: 'pending', record };
}

function ended(state: 'rejected' | 'failed', record: AttemptRecord): EndedAttempt {
  return { state, record, reason: record.endReason ?? 'attempt.failed' };
}

function assertPossible(record: AttemptRecord): void {
  const authenticated = record.authenticatedAt !== null;
  const impossible =
    authenticated !== (record.userId !== null) ||
    (record.redeemedAt !== null && (!authenticated || record.failedAt !== null)) ||
    (record.rejectedAt !== null && (authenticated || record.failedAt !== null)) ||
    (record.endReason !== null) !== (record.rejectedAt !== null || record.failedAt !== null);
  if (impossible) throw new Error(`attempt ${record.attemptId} has an impossible set of times`);
}

/** Compares in constant time, and does the same work whether the attempt exists or not. */
export function provesAttempt(record: AttemptRecord | null, tokenDigest: Digest): boolean {
  const same = sameDigest(record?.tokenDigest ?? NO_DIGEST, tokenDigest);
  return record !== null && same;
}

export interface Authentication {
  readonly flow: Flow;
  readonly userId: UserId;
  readonly at: Ms;
  readonly completion: CompletionProof | null;
}

export interface CompletionProof {
  readonly digest: Digest;
  readonly expiresAt: Ms;
}

/** @throws Refusal when the attempt is of another flow or no longer pending. */
export function authenticate(attempt: Attempt, by: Authentication): AttemptRecord {
  if (attempt.state === 'expired') throw new Refusal('attempt.expired');
  if (attempt.record.flow !== by.flow) throw new Refusal('attempt.wrong_flow');
  const { record } = requirePending(attempt);
  return {
    ...record,
    // The provider's limit was for answering the push; the person has answered, so it no longer
    // applies.
    providerExpiresAt: null,
    authenticatedAt: by.at,
    userId: by.userId,
    completionDigest: by.completion?.digest ?? null,
    completionExpiresAt: by.completion?.expiresAt ?? null,
  };
}

/** @throws Refusal unless pending. */
export function reject(attempt: Attempt, at: Ms, endReason: ErrorCode): AttemptRecord {
  return { ...requirePending(attempt).record, rejectedAt: at, endReason };
}

/**
 * The application takes the attempt back: nobody can approve or redeem it any more. Who had approved
 * it is forgotten with it. @throws Refusal unless pending or authenticated
 */
export function cancel(attempt: Attempt, at: Ms): AttemptRecord {
  const { record } = requireOpen(attempt);
  return {
    ...record,
    rejectedAt: at,
    endReason: CANCELLED,
    authenticatedAt: null,
    userId: null,
    completionDigest: null,
    completionExpiresAt: null,
  };
}

export function isCancelled(attempt: Attempt): boolean {
  return attempt.state === 'rejected' && attempt.reason === CANCELLED;
}

/**
 * The error of every operation on an attempt that ended without an exchange. One that its
 * application has cancelled says so, because the person has refused nothing.
 */
function endCodeOf(attempt: EndedAttempt | ExpiredAttempt): ErrorCode {
  if (attempt.state === 'expired') return 'attempt.expired';
  if (isCancelled(attempt)) return CANCELLED;
  return attempt.state === 'rejected' ? 'attempt.rejected' : 'attempt.failed';
}

function requireOpen(attempt: Attempt): PendingAttempt | AuthenticatedAttempt {
  if (attempt.state === 'pending' || attempt.state === 'authenticated') return attempt;
  throw new Refusal(attempt.state === 'redeemed' ? 'attempt.already_redeemed' : endCodeOf(attempt));
}

/** An authenticated attempt can still fail until it is redeemed. @throws Refusal */
export function fail(attempt: Attempt, at: Ms, endReason: ErrorCode): AttemptRecord {
  if (attempt.state !== 'authenticated') requirePending(attempt);
  return { ...attempt.record, failedAt: at, endReason };
}

/**
 * Counts a wrong completion code. The last permitted miss makes the attempt fail. @throws Refusal
 */
export function countWrongCode(attempt: Attempt, at: Ms): AttemptRecord {
  const { record } = requireAuthenticated(attempt);
  const counted = { ...record, completionMisses: record.completionMisses + 1 };
  return counted.completionMisses < COMPLETION_CODE_TRIES
    ? counted
    : fail({ ...attempt, record: counted }, at, 'attempt.failed');
}

export interface PresentedCode {
  readonly at: Ms;
  /** Null when the caller sent no completion code, which only some modes permit. */
  readonly completionDigest: Digest | null;
}

export interface Redemption extends PresentedCode {
  readonly seal: RedemptionSeal | null;
}

/** @throws Refusal as `requireRedeemable` */
export function redeem(attempt: Attempt, by: Redemption): AttemptRecord {
  const { record } = requireRedeemable(attempt, by);
  return { ...record, redeemedAt: by.at, redemption: by.seal };
}

/** @throws Refusal unless authenticated and the completion code, when given, is the right one. */
export function requireRedeemable(attempt: Attempt, by: PresentedCode): AuthenticatedAttempt {
  const redeemable = requireAuthenticated(attempt);
  if (!acceptsCompletion(redeemable.record, by)) throw new Refusal('attempt.completion_required');
  return redeemable;
}

export function acceptsCompletion(
  record: AttemptRecord,
  { completionDigest, at }: PresentedCode,
): boolean {
  if (completionDigest === null) return true;
  const expected = record.completionDigest ?? NO_DIGEST;
  return sameDigest(expected, completionDigest) && at < (record.completionExpiresAt ?? 0);
}

/** For an attempt that is authenticated or redeemed. @throws Refusal for any other state */
export function requireCompleted(attempt: Attempt): AuthenticatedAttempt | RedeemedAttempt {
  return attempt.state === 'redeemed' ? attempt : requireAuthenticated(attempt);
}

function requirePending(attempt: Attempt): PendingAttempt {
  if (attempt.state === 'pending') return attempt;
  const isCompleted = attempt.state === 'authenticated' || attempt.state === 'redeemed';
  throw new Refusal(isCompleted ? 'attempt.already_completed' : endCodeOf(attempt));
}

function requireAuthenticated(attempt: Attempt): AuthenticatedAttempt {
  if (attempt.state === 'authenticated') return attempt;
  if (attempt.state === 'pending') {
    throw new Refusal('attempt.pending', { retryAfterSeconds: POLL_SECONDS });
  }
  throw new Refusal(attempt.state === 'redeemed' ? 'attempt.already_redeemed' : endCodeOf(attempt));
}

/** As base64url the 64 characters that `ATTEMPT_TOKEN_LENGTH` of the contract says. */
export const ATTEMPT_TOKEN_BYTES = 48;

/**
 * The attempt token: what RFC 8628 calls a device_code. Stored only as a digest. It does not begin with
 * a hyphen, because a command takes such an argument for an option.
 */
export function makeAttemptToken(random: Uint8Array): Secret {
  return new Secret(Buffer.from(random).toString('base64url').replace(/^-/, '_'));
}

/** Any text has a digest, so a malformed token is treated like a wrong one. */
export function attemptTokenDigest(token: string): Digest {
  return digestOf('attempt', token);
}
