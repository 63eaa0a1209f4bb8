import type { ApiTokenRecord } from '../../account/api-token.ts';
import type { AttemptId } from '../../values/ids.ts';
import type { AttemptRecord, CompletionProof } from '../../attempt/attempt.ts';
import type { Digest } from '../../values/secret.ts';
import type { ErrorCode } from '../../errors/catalogue.ts';
import type { Flow } from '../../attempt/flow.ts';
import type { RedemptionSeal } from '../../attempt/redeem/idempotency.ts';
import type { Locale } from '../../values/locale.ts';
import type { KeptToken, ProviderTransaction } from '../../attempt/provider-transaction.ts';
import type { Ms } from '../../values/time.ts';
import type { Person, User } from '../../account/user.ts';

export interface AuthenticateAttempt {
  readonly attemptId: AttemptId;
  readonly flow: Flow;
  readonly at: Ms;
  readonly person: Person;
  readonly preferredLocale: Locale;
  readonly completion: CompletionProof | null;
  /**
   * The person whose push budgets are emptied in the same write, under each key of the service;
   * empty when pushes are not counted.
   */
  readonly pushesOf: readonly Digest[];
  /** What is kept for the OpenID client of the attempt, until it is consumed. */
  readonly keeps?: KeepForClient | null;
}

/**
 * The record that an attempt is begun for: one that is there and linked to another attempt, or to none
 * (`from`); or one that is written with the attempt.
 */
export type BegunFor = { readonly model: string; readonly id: string } & (
  | { readonly from: AttemptId | null }
  | {
      readonly body: string;
      readonly subject: string | null;
      readonly client: string | null;
      readonly expiresAt: Ms | null;
    }
);

export interface KeepForClient {
  readonly record: {
    readonly model: string;
    readonly id: string;
    readonly body: string;
    readonly expiresAt: Ms;
  };
  /** Becomes the person's `sub`, unless they have one. */
  readonly subject: string;
}

export interface EndAttempt {
  readonly attemptId: AttemptId;
  readonly at: Ms;
  readonly reason: ErrorCode;
}

export interface CancelAttempt {
  readonly attemptId: AttemptId;
  readonly at: Ms;
}

export interface RedeemAttempt {
  readonly attemptId: AttemptId;
  readonly tokenDigest: Digest;
  readonly at: Ms;
  /** Null when the caller sent no completion code. */
  readonly completionDigest: Digest | null;
  readonly seal: RedemptionSeal | null;
  /** Without `userId` and `client`: the store copies them from the attempt. */
  readonly token: Omit<ApiTokenRecord, 'attemptId' | 'userId' | 'client' | 'revokedAt'>;
}

/** The provider's answer to the start of an attempt, stored in one write. */
export interface OpenTransaction {
  readonly attemptId: AttemptId;
  readonly at: Ms;
  readonly transaction: ProviderTransaction;
  /** The number to match, given by the provider; null in the redirect flow. */
  readonly bindingCode: string | null;
  readonly providerExpiresAt: Ms | null;
  readonly begunFor?: BegunFor | null;
}

/** How the return of a browser is recognised, and the address of the provider's page. */
export interface ProviderSession {
  /** The address that the browser is sent to, exactly as the provider gave it. */
  readonly launchUrl: string;
  /** Base64(SHA-256(state)): by this the attempt is found when the browser returns. */
  readonly stateDigest: string;
  readonly nonce: string;
}

/** Replaces the provider's session for the launching browser, in one write with its digest. */
export interface ReplaceSession {
  readonly attemptId: AttemptId;
  readonly at: Ms;
  readonly session: ProviderSession;
  readonly browserDigest: Digest;
}

export interface AttemptWithTransaction {
  readonly attempt: AttemptRecord;
  readonly transaction: ProviderTransaction;
}

export interface RotateCompletion {
  readonly attemptId: AttemptId;
  readonly at: Ms;
  readonly completion: CompletionProof;
}

export interface AttemptWithUser {
  readonly attempt: AttemptRecord;
  readonly user: User | null;
}

/** The provider's tokens that could not be verified yet. */
export interface KeepTokens {
  readonly attemptId: AttemptId;
  readonly at: Ms;
  /** All that are to be kept from now on. */
  readonly tokens: readonly KeptToken[];
}

/**
 * Attempts, and their transactions with a provider.
 *
 * Attempts
 * - S-10: `insertAttempt` rejects an id that exists, and leaves the existing row unchanged.
 * - S-11: `findAttempt` gives exactly what was written, with the user if the attempt has one; null
 *   for an unknown id.
 * - S-18: `findProvenAttempt` is `findAttempt` for the holder of the attempt token. It looks up id
 *   and digest in one step, so that a wrong token costs the same as an unknown id: neither a column
 *   of the attempt's row nor a user is read.
 * - S-12: each transition succeeds exactly where the domain's function of the same name does
 *   (`authenticate`, `reject`, `fail`, `cancel`, `countWrongCode`, `redeem`), and gives the same row;
 *   otherwise it changes nothing and gives null.
 * - S-13: of any number of racing transitions that exclude each other, one succeeds.
 * - S-14: `authenticateAttempt` creates the user at their first success and updates their
 *   attributes at later ones: one user for each (issuer, document type, document number), under any
 *   race.
 * - S-15: `redeemAttempt` writes the token row together with the redemption: never one without the
 *   other, and never two tokens for one attempt. A wrong attempt token redeems nothing.
 * - S-16: `missReplay` counts a wrong Idempotency-Key on a redeemed attempt that has a seal.
 * - S-61: when an attempt is authenticated, rejected, cancelled or fails, the identifier that was asked for is
 *   erased in a store that has a vault, also in the row that the call gives back.
 *
 * Transactions with a provider
 * - S-40: `openTransaction` succeeds once, and only while the attempt is pending: the same write
 *   gives the attempt the binding code and the provider's expiry.
 * - S-41: `findTransaction` and `findByState` give exactly what was written, or null.
 * - S-42: `bindBrowser` binds the attempt to one browser: it accepts the first browser, and the
 *   same one again, under any race; only while the attempt is pending.
 * - S-47: `replaceSession` binds a browser as `bindBrowser` does, and replaces the provider's
 *   session that the attempt was opened with: only while the attempt is pending, not spoiled and
 *   bound to no browser, so at most once, under any race. The earlier state then finds nothing. In
 *   every other case nothing changes and it gives false.
 * - S-43: `authenticateAttempt` leaves no trace of the launch address in the transaction's row, in
 *   the same write.
 * - S-107: `rejectAttempt`, `failAttempt` and `cancelAttempt` erase the launch address in the same
 *   write, where they succeed: nobody can be sent to the provider's page any more. An attempt that expires keeps its
 *   address until it is purged, because nothing is written when it expires.
 * - S-44: `rotateCompletion` replaces the completion code of an authenticated attempt, so that the
 *   earlier code is wrong, and changes no attempt in another state.
 * - S-46: `spoilAttempt` marks an attempt of the redirect flow that is pending or authenticated,
 *   once: of any number of calls one gives true, and the others change nothing. The launch address
 *   is erased, no browser can be bound any more, `authenticateAttempt` gives null, and an attempt
 *   that was already authenticated fails with `callback.browser_mismatch`.
 * - S-45: `recordApprovalSeen` keeps the first time it was given, and only while the attempt is
 *   pending.
 * - S-110: `keepTokens` replaces the kept tokens of a pending attempt that is not spoiled, sealed as
 *   the launch address is; in every other case nothing changes and it gives false. They are erased
 *   where the launch address is, by `spoilAttempt`, and by `dropLateTokens`.
 * - S-111: `dropLateTokens` erases the kept tokens of attempts that are not pending at this time:
 *   nothing is written when an attempt expires.
 * - S-112: `keptPushes` gives the pushes with kept tokens that are pending at this time, oldest
 *   first.
 * - S-49: `pendingAttempts` gives the attempts of a scope that are pending at this time and were
 *   started within the lifetime of an attempt before it, oldest first; when there are more than
 *   `limit`, the newest of them.
 * - S-106: `newestAttempts` gives at most `limit` attempts of a scope in any state, the last started
 *   first.
 * - S-108: with `before` it gives only those whose id is smaller, whether or not an attempt has it:
 *   the last id of one list is the `before` of the next, and no attempt is in two of them.
 * - S-48: `expirePush` makes the given time the end of the push of a pending attempt, so that the
 *   attempt has expired; it changes no attempt in another state or of the other flow.
 */
export interface AttemptStore {
  /** False when it is begun for a record whose link is another one by now. */
  insertAttempt(attempt: AttemptRecord, begunFor?: BegunFor | null): Promise<boolean>;
  findAttempt(attemptId: AttemptId): Promise<AttemptWithUser | null>;
  findProvenAttempt(attemptId: AttemptId, tokenDigest: Digest): Promise<AttemptWithUser | null>;
  pendingAttempts(now: Ms, limit: number, scope: string): Promise<readonly AttemptRecord[]>;
  newestAttempts(
    limit: number,
    scope: string,
    before: AttemptId | null,
  ): Promise<readonly AttemptRecord[]>;
  authenticateAttempt(change: AuthenticateAttempt): Promise<AttemptWithUser | null>;
  rejectAttempt(change: EndAttempt): Promise<AttemptRecord | null>;
  failAttempt(change: EndAttempt): Promise<AttemptRecord | null>;
  cancelAttempt(change: CancelAttempt): Promise<AttemptRecord | null>;
  countWrongCode(attemptId: AttemptId, at: Ms): Promise<AttemptRecord | null>;
  redeemAttempt(change: RedeemAttempt): Promise<ApiTokenRecord | null>;
  missReplay(attemptId: AttemptId): Promise<void>;

  openTransaction(change: OpenTransaction): Promise<AttemptRecord | null>;
  findTransaction(attemptId: AttemptId): Promise<AttemptWithTransaction | null>;
  /** Looks up the digest of the provider's state, which only the returning browser has. */
  findByState(stateDigest: string): Promise<AttemptWithTransaction | null>;
  /** True when the attempt is now bound to this browser, by this call or an earlier one. */
  bindBrowser(attemptId: AttemptId, browserDigest: Digest, at: Ms): Promise<boolean>;
  /** True when the attempt now has this session and is bound to this browser. */
  replaceSession(change: ReplaceSession): Promise<boolean>;
  /** True when this call spoiled the attempt. */
  spoilAttempt(attemptId: AttemptId, at: Ms): Promise<boolean>;
  rotateCompletion(change: RotateCompletion): Promise<AttemptRecord | null>;
  /** True when there was a pending push to end. */
  expirePush(attemptId: AttemptId, at: Ms): Promise<boolean>;
  /** The time at which it was first seen: by this call or an earlier one. */
  recordApprovalSeen(attemptId: AttemptId, at: Ms): Promise<Ms | null>;
  /** True when these are kept now. */
  keepTokens(change: KeepTokens): Promise<boolean>;
  keptPushes(at: Ms): Promise<readonly AttemptId[]>;
  dropLateTokens(at: Ms): Promise<void>;
}
