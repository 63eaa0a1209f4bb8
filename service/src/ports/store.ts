import type { ApiTokenId, ApiTokenRecord } from '../domain/api-token.ts';
import type { AttemptId } from '../domain/attempt-id.ts';
import type { AttemptRecord, CompletionProof } from '../domain/attempt.ts';
import type { Digest } from '../domain/digest.ts';
import type { ErrorCode } from '../domain/errors/catalogue.ts';
import type { Flow } from '../domain/flow.ts';
import type { RedemptionSeal } from '../domain/idempotency.ts';
import type { Locale } from '../domain/locale.ts';
import type { Ms } from '../domain/time.ts';
import type { Person, User, UserId } from '../domain/user.ts';

export interface AuthenticateAttempt {
  readonly attemptId: AttemptId;
  readonly flow: Flow;
  readonly at: Ms;
  readonly person: Person;
  readonly preferredLocale: Locale;
  readonly completion: CompletionProof | null;
}

export interface EndAttempt {
  readonly attemptId: AttemptId;
  readonly at: Ms;
  readonly reason: ErrorCode;
}

export interface RedeemAttempt {
  readonly attemptId: AttemptId;
  readonly tokenDigest: Digest;
  readonly at: Ms;
  /** Null when the caller gave no completion code. */
  readonly completionDigest: Digest | null;
  readonly seal: RedemptionSeal | null;
  /** `userId` and `client` are the attempt's own; the store fills them in. */
  readonly token: Omit<ApiTokenRecord, 'attemptId' | 'userId' | 'client' | 'revokedAt'>;
}

export interface AttemptWithUser {
  readonly attempt: AttemptRecord;
  readonly user: User | null;
}

export interface TokenWithUser {
  readonly token: ApiTokenRecord;
  readonly user: User;
}

/**
 * Where attempts, users and API tokens are kept.
 *
 * Durability and order
 * - S-1: when a writing call resolves, its effect survives the death of the process and the power.
 * - S-2: a call that reads sees every write that resolved before it began.
 * - S-3: a writing call happens whole or not at all, also when many run at once.
 * - S-4: a call that rejects with `storage.unavailable` has had no effect; with
 *   `storage.outcome_unknown` it may have had.
 * - S-5: time is a parameter: the store never reads a clock.
 *
 * Attempts
 * - S-10: `insertAttempt` rejects an id that exists, and leaves the existing row as it was.
 * - S-11: `findAttempt` gives back exactly what was written, with the user once there is one;
 *   null for an unknown id.
 * - S-18: `findProvenAttempt` is `findAttempt` for the holder of the attempt token. The id and the
 *   digest are looked up in one step, so that an attempt of another token costs what none costs:
 *   nothing of its row is read, and no user.
 * - S-12: each transition succeeds exactly where the domain's function of the same name does
 *   (`authenticate`, `reject`, `fail`, `missCompletion`, `redeem`), with the same resulting row,
 *   and otherwise changes nothing and gives null.
 * - S-13: of any number of racing transitions that exclude each other, one succeeds.
 * - S-14: `authenticateAttempt` makes the user at the first success and updates their attributes
 *   at later ones: one user for each (issuer, document type, document number), under any race.
 * - S-15: `redeemAttempt` writes the token row together with the redemption: never one without
 *   the other, never two tokens for one attempt. A wrong attempt token redeems nothing.
 * - S-16: `missReplay` counts a wrong Idempotency-Key on a redeemed attempt that has a seal.
 * - S-17: `purge` removes attempts that expired before `expiredBefore` and tokens that expired
 *   before it, erases the seals of redemptions before `redeemedBefore`, touches nothing else, and
 *   does at most `limit` rows of each kind in a call.
 *
 * API tokens
 * - S-20: `findToken` finds by digest, expired and revoked tokens included.
 * - S-21: `listTokens` gives the person's active tokens, newest first.
 * - S-22: `revokeToken` revokes an active token of that person once: true, then false.
 * - S-23: a purged attempt leaves its token working.
 *
 * Housekeeping
 * - S-30: after `close` resolves, everything accepted before is durable and the store is free.
 */
export interface Store {
  insertAttempt(attempt: AttemptRecord): Promise<void>;
  findAttempt(attemptId: AttemptId): Promise<AttemptWithUser | null>;
  findProvenAttempt(attemptId: AttemptId, tokenDigest: Digest): Promise<AttemptWithUser | null>;
  authenticateAttempt(change: AuthenticateAttempt): Promise<AttemptWithUser | null>;
  rejectAttempt(change: EndAttempt): Promise<AttemptRecord | null>;
  failAttempt(change: EndAttempt): Promise<AttemptRecord | null>;
  missCompletion(attemptId: AttemptId, at: Ms): Promise<AttemptRecord | null>;
  redeemAttempt(change: RedeemAttempt): Promise<TokenWithUser | null>;
  missReplay(attemptId: AttemptId): Promise<void>;

  /** Active or not; null for an unknown digest. */
  findToken(digest: Digest): Promise<TokenWithUser | null>;
  findTokenOfAttempt(attemptId: AttemptId): Promise<TokenWithUser | null>;
  listTokens(userId: UserId, now: Ms): Promise<readonly ApiTokenRecord[]>;
  revokeToken(tokenId: ApiTokenId, userId: UserId, at: Ms): Promise<boolean>;

  purge(bounds: PurgeBounds): Promise<PurgeCounts>;
  health(): StoreHealth;
  close(): Promise<void>;
}

export interface PurgeBounds {
  readonly expiredBefore: Ms;
  readonly redeemedBefore: Ms;
  readonly limit: number;
}

export interface PurgeCounts {
  readonly attempts: number;
  readonly tokens: number;
  readonly seals: number;
}

export type StoreHealth =
  { readonly ready: true } | { readonly ready: false; readonly reason: string };
