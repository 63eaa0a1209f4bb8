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
  /** Whose push budgets are given back with it; null where pushes are not counted. */
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
  /** Null when the caller gave no completion code. */
  readonly completionDigest: Digest | null;
  readonly seal: RedemptionSeal | null;
  /** `userId` and `client` are the attempt's own; the store fills them in. */
  readonly token: Omit<ApiTokenRecord, 'attemptId' | 'userId' | 'client' | 'revokedAt'>;
}

/** The provider's answer to the start of an attempt, in one write. */
export interface OpenTransaction {
  readonly attemptId: AttemptId;
  readonly at: Ms;
  readonly transaction: ProviderTransaction;
  /** The provider's number to match; null in the redirect flow. */
  readonly bindingCode: string | null;
  readonly providerExpiresAt: Ms | null;
}

/** What a redirect is recognised by, and where it leads. */
export interface ProviderSession {
  readonly launchUrl: string;
  readonly stateDigest: string;
  readonly nonce: string;
}

/** Another session at the provider for the browser that launches, in one write with its digest. */
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

/** Whose tokens: a person's with one client. */
export interface TokenOwner {
  readonly userId: UserId;
  readonly client: string;
}

export interface TokenPage {
  /** The last token of the page before; null for the first page. */
  readonly after: ApiTokenId | null;
  readonly limit: number;
}

/** A push that somebody wants sent, and what may be sent at most. */
export interface PushWish {
  readonly attemptId: AttemptId;
  /** A keyed digest of the identifier: the budget is the person's, whoever asks. */
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
 * Where attempts, users and API tokens are kept. What it offers to an operator, S-70 and on, is in
 * oversight.ts.
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
 * - S-17: `purge` removes attempts that expired before `expiredBefore`, with their transactions,
 *   tokens that expired before it and pushes that no window has counted since before it; erases the
 *   seals of redemptions before `redeemedBefore`, touches nothing else, and does at most `limit`
 *   rows of each kind in a call.
 *
 * API tokens
 * - S-20: `findToken` finds by digest, expired and revoked tokens included.
 * - S-21: `listTokens` gives at most `limit` of the active tokens of that person with that client,
 *   newest first: those whose id comes before `after`, or from the newest on where that is null.
 *   Ids begin with the time, so that tokens that are issued or end meanwhile move no other page.
 * - S-22: `revokeToken` revokes an active token of that person with that client once: true, then
 *   false.
 * - S-23: a purged attempt leaves its token working.
 *
 * Transactions with a provider
 * - S-40: `openTransaction` succeeds once, and only while the attempt is pending: the binding code
 *   and the provider's expiry become the attempt's own in the same write.
 * - S-41: `findTransaction` and `findByState` give back exactly what was written, or null.
 * - S-42: `bindBrowser` lets one browser in: the first, and that one again, under any race; only
 *   while the attempt is pending.
 * - S-47: `replaceSession` lets a browser in as `bindBrowser` does, and puts another session of the
 *   provider in the place of the one that the attempt was opened with: only while the attempt is
 *   pending and not spoiled and no browser was let in, so once at most, under any race. The state of
 *   before finds nothing any more. Otherwise nothing changes and it gives false.
 * - S-43: `authenticateAttempt` leaves no trace of the launch address in the transaction's row, in
 *   the same write.
 * - S-44: `rotateCompletion` replaces the completion code of an authenticated attempt, which makes
 *   the one before it wrong, and touches no other state.
 * - S-46: `spoilAttempt` marks an attempt by redirect that is pending or authenticated, once: of any
 *   number of calls one gives true, and the others change nothing. The launch address is erased, no
 *   browser is let in any more, `authenticateAttempt` gives null, and an attempt that was already
 *   authenticated fails with `callback.browser_mismatch`.
 * - S-45: `seeCompleted` keeps the first moment, and only while the attempt is pending.
 * - S-48: `expirePush` makes that moment the one at which the push of a pending attempt ends, so
 *   that the attempt has expired; it touches no attempt in another state or flow.
 *
 * Push budgets
 * - S-50: `admitPush` counts and admits in one step: with any number of racing wishes, no budget
 *   is exceeded. A refused wish counts nothing.
 * - S-51: it refuses while another attempt with the person's push is pending, within the cool-down
 *   after one was rejected, and when the person's, the client's or the whole service's quota of a
 *   window is spent. Windows are half-open and slide.
 * - S-53: `withdrawPush` takes one push out of every budget, as if it had never been admitted.
 * - S-52: `authenticateAttempt` empties the budgets of the person in `pushesOf` and no other, in the
 *   same write; one that gives null empties none.
 *
 * Identities at rest, in a store that has a vault (ports/vault.ts)
 * - S-60: no name, e-mail address, national id or document number and no launch address is in what
 *   the store leaves on a disk, not even in a part that nothing refers to any more.
 * - S-61: the requested identifier is gone from an attempt that was authenticated, rejected or
 *   failed, in the row that this gives back too; `purge` takes it from attempts that expired before
 *   `redeemedBefore`.
 * - S-62: a sealed value that was put into another row, or changed, is an error to whoever reads it.
 * - S-63: people are known again after the vault's key was changed, as long as it has the earlier
 *   one. `rotateKeys` seals at most `limit` users under the current key, and gives how many it found
 *   under an earlier one: 0 when none is left.
 *
 * - S-64: `findPerson` gives the user of a person who has signed in, under an earlier key as well.
 *
 * Housekeeping
 * - S-31: after a write was refused for lack of space `health` says so, and reads go on; a write is
 *   made or refused as the space allows. `recover` finds out whether there is space again; it never
 *   rejects.
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
  /** By the digest of the provider's state, which only the returning browser has. */
  findByState(stateDigest: string): Promise<AttemptWithTransaction | null>;
  /** True when this browser is now, or was already, the attempt's one. */
  bindBrowser(attemptId: AttemptId, browserDigest: Digest, at: Ms): Promise<boolean>;
  /** True when the session is now this one, and this browser the attempt's. */
  replaceSession(change: ReplaceSession): Promise<boolean>;
  /** True when it was this call that did it. */
  spoilAttempt(attemptId: AttemptId, at: Ms): Promise<boolean>;
  rotateCompletion(change: RotateCompletion): Promise<AttemptRecord | null>;
  /** Whether there was something pending to end. */
  expirePush(attemptId: AttemptId, at: Ms): Promise<boolean>;
  /** When it was first seen: at this call or at an earlier one. */
  seeCompleted(attemptId: AttemptId, at: Ms): Promise<Ms | null>;

  /** Counts the push if every budget allows it. */
  admitPush(wish: PushWish): Promise<boolean>;
  /** For a push that was admitted, and certainly not sent. */
  withdrawPush(attemptId: AttemptId, personDigest: Digest): Promise<void>;

  /** Active or not; null for an unknown digest. */
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
