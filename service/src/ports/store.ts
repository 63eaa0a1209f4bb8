import type { ApiTokenId, ApiTokenRecord } from '../domain/api-token.ts';
import type { AttemptId } from '../domain/attempt-id.ts';
import type { AttemptRecord, CompletionProof } from '../domain/attempt.ts';
import type { Digest } from '../domain/digest.ts';
import type { ProviderTransaction } from '../domain/provider-transaction.ts';
import type { PushBudget } from '../domain/push-budget.ts';
import type { ErrorCode } from '../domain/errors/catalogue.ts';
import type { Flow } from '../domain/flow.ts';
import type { RedemptionSeal } from '../domain/idempotency.ts';
import type { Locale } from '../domain/locale.ts';
import type { Ms } from '../domain/time.ts';
import type { Person, PersonKey, User, UserId } from '../domain/user.ts';
import type { Oversight } from './oversight.ts';

export interface AuthenticateAttempt {
  readonly attemptId: AttemptId;
  readonly flow: Flow;
  readonly at: Ms;
  readonly person: Person;
  readonly preferredLocale: Locale;
  readonly completion: CompletionProof | null;
  /**
   * The person whose push budgets are emptied in the same write; null when pushes are not counted.
   */
  readonly pushesOf: Digest | null;
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
}

/** How the return of a browser is recognised, and the address of the provider's page. */
export interface ProviderSession {
  readonly launchUrl: string;
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

/** The owner of tokens: one person with one client. */
export interface TokenOwner {
  readonly userId: UserId;
  readonly client: string;
}

export interface TokenPage {
  /** The last token of the previous page; null for the first page. */
  readonly after: ApiTokenId | null;
  readonly limit: number;
}

/** A push that is to be sent, and the limits for it. */
export interface PushWish {
  readonly attemptId: AttemptId;
  /** A keyed digest of the identifier: the limits apply to the person, whichever client asks. */
  readonly personDigest: Digest;
  readonly client: string;
  readonly at: Ms;
  readonly budget: PushBudget;
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
 * Where attempts, users and API tokens are kept. The operator's part, from S-70, is in
 * oversight.ts.
 *
 * Durability and order
 * - S-1: when a writing call resolves, its effect survives the end of the process and a power cut.
 * - S-2: a reading call sees every write that resolved before it began.
 * - S-3: a writing call takes effect completely or not at all, also when many run at once.
 * - S-4: a call that rejects with `storage.unavailable` had no effect; one that rejects with
 *   `storage.outcome_unknown` may have had one.
 * - S-5: time is a parameter: the store never reads a clock.
 *
 * Attempts
 * - S-10: `insertAttempt` rejects an id that exists, and leaves the existing row unchanged.
 * - S-11: `findAttempt` gives exactly what was written, with the user if the attempt has one; null
 *   for an unknown id.
 * - S-18: `findProvenAttempt` is `findAttempt` for the holder of the attempt token. It looks up id
 *   and digest in one step, so that a wrong token costs the same as an unknown id: neither a column
 *   of the attempt's row nor a user is read.
 * - S-12: each transition succeeds exactly where the domain's function of the same name does
 *   (`authenticate`, `reject`, `fail`, `missCompletion`, `redeem`), and gives the same row;
 *   otherwise it changes nothing and gives null.
 * - S-13: of any number of racing transitions that exclude each other, one succeeds.
 * - S-14: `authenticateAttempt` creates the user at their first success and updates their
 *   attributes at later ones: one user for each (issuer, document type, document number), under any
 *   race.
 * - S-15: `redeemAttempt` writes the token row together with the redemption: never one without the
 *   other, and never two tokens for one attempt. A wrong attempt token redeems nothing.
 * - S-16: `missReplay` counts a wrong Idempotency-Key on a redeemed attempt that has a seal.
 * - S-17: `purge` removes attempts that expired before `expiredBefore` with their transactions,
 *   tokens that expired before it, and pushes that have been outside every window since before it.
 *   It erases the seals of redemptions before `redeemedBefore`. It touches nothing else, and
 *   changes at most `limit` rows of each kind per call.
 *
 * API tokens
 * - S-20: `findToken` finds a token by its digest, including expired and revoked tokens.
 * - S-21: `listTokens` gives at most `limit` active tokens of that person with that client, newest
 *   first: those whose id comes before `after`, or the newest ones if `after` is null. Ids begin
 *   with the time, so tokens that are issued or end meanwhile do not shift other pages.
 * - S-22: `revokeToken` revokes an active token of that person with that client: the first call
 *   gives true, later ones give false.
 * - S-23: a token keeps working after its attempt was purged.
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
 * - S-44: `rotateCompletion` replaces the completion code of an authenticated attempt, so that the
 *   earlier code is wrong, and changes no attempt in another state.
 * - S-46: `spoilAttempt` marks an attempt of the redirect flow that is pending or authenticated,
 *   once: of any number of calls one gives true, and the others change nothing. The launch address
 *   is erased, no browser can be bound any more, `authenticateAttempt` gives null, and an attempt
 *   that was already authenticated fails with `callback.browser_mismatch`.
 * - S-45: `seeCompleted` keeps the first time it was given, and only while the attempt is pending.
 * - S-48: `expirePush` makes the given time the end of the push of a pending attempt, so that the
 *   attempt has expired; it changes no attempt in another state or of the other flow.
 *
 * Push budgets
 * - S-50: `admitPush` checks and counts in one step: with any number of racing pushes, no budget is
 *   exceeded. A refused push is not counted.
 * - S-51: it refuses while another attempt with a push to this person is pending, during the
 *   cool-down after one was rejected, and when the quota of a window is used up for the person, the
 *   client or the whole service. Windows are half-open and slide.
 * - S-53: `withdrawPush` takes one push out of every budget, as if it had never been admitted.
 * - S-52: `authenticateAttempt` empties the budgets of the person in `pushesOf` and no others, in
 *   the same write; if it gives null it empties none.
 *
 * Identities at rest, in a store that has a vault (ports/vault.ts)
 * - S-60: no name, e-mail address, national id, document number or launch address is readable in
 *   what the store leaves on a disk, not even in a part that nothing refers to any more.
 * - S-61: when an attempt is authenticated, rejected or fails, the identifier that was asked for is
 *   erased, also in the row that the call gives back; `purge` erases it from attempts that expired
 *   before `redeemedBefore`.
 * - S-62: a sealed value that was moved to another row, or changed, causes an error when it is
 *   read.
 * - S-63: people are recognised after the vault's key was changed, as long as the vault has the
 *   earlier key. `rotateKeys` seals at most `limit` users under the current key, and gives how many
 *   it found under an earlier one: 0 when none is left.
 * - S-64: `findPerson` gives the user of a person who has signed in, also under an earlier key.
 *
 * Housekeeping
 * - S-31: after a write was refused for lack of space `health` says so, and reads continue; a write
 *   succeeds or is refused depending on the space. `recover` finds out whether there is space
 *   again; it never rejects.
 * - S-30: after `close` resolves, everything accepted before is durable and the store is free.
 */
export interface Store extends Oversight {
  insertAttempt(attempt: AttemptRecord): Promise<void>;
  findAttempt(attemptId: AttemptId): Promise<AttemptWithUser | null>;
  findProvenAttempt(attemptId: AttemptId, tokenDigest: Digest): Promise<AttemptWithUser | null>;
  authenticateAttempt(change: AuthenticateAttempt): Promise<AttemptWithUser | null>;
  rejectAttempt(change: EndAttempt): Promise<AttemptRecord | null>;
  failAttempt(change: EndAttempt): Promise<AttemptRecord | null>;
  missCompletion(attemptId: AttemptId, at: Ms): Promise<AttemptRecord | null>;
  redeemAttempt(change: RedeemAttempt): Promise<TokenWithUser | null>;
  findPerson(person: PersonKey): Promise<User | null>;
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
  seeCompleted(attemptId: AttemptId, at: Ms): Promise<Ms | null>;

  /** Counts the push if every budget allows it; false if one does not. */
  admitPush(wish: PushWish): Promise<boolean>;
  /** Takes back a push that was admitted and certainly not sent. */
  withdrawPush(attemptId: AttemptId, personDigest: Digest): Promise<void>;

  /** Finds active and inactive tokens; null for an unknown digest. */
  findToken(digest: Digest): Promise<TokenWithUser | null>;
  findTokenOfAttempt(attemptId: AttemptId): Promise<TokenWithUser | null>;
  listTokens(owner: TokenOwner, page: TokenPage, now: Ms): Promise<readonly ApiTokenRecord[]>;
  revokeToken(tokenId: ApiTokenId, owner: TokenOwner, at: Ms): Promise<boolean>;

  purge(bounds: PurgeBounds): Promise<PurgeCounts>;
  rotateKeys(limit: number, at: Ms): Promise<number>;
  health(): StoreHealth;
  recover(): Promise<void>;
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
