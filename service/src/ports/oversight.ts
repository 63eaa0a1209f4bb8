import type { AttemptId } from '../domain/attempt-id.ts';
import type { AuditVerdict } from '../domain/audit-chain.ts';
import type { AuditEvent, AuditHead, AuditQuery, AuditRow } from '../domain/audit.ts';
import type { ProviderCall } from '../domain/provider-call.ts';
import type { StoreSeal } from '../domain/store-seal.ts';
import type { Ms } from '../domain/time.ts';
import type { User, UserId } from '../domain/user.ts';

/** Whose tokens are meant. */
export type RevocationScope = 'all' | { readonly userId: UserId } | { readonly client: string };

export interface RevocationCounts {
  readonly tokens: number;
  /** Authenticated attempts that can't become a token any more. */
  readonly attempts: number;
}

/** What a backup does not know, from the store that it takes the place of. */
export interface Recovery {
  readonly at: Ms;
  readonly disabled: readonly User[];
  readonly lastUserId: number;
}

export interface RecoveryCounts extends RevocationCounts {
  /** Users who are disabled now and were not in the backup. */
  readonly disabled: number;
}

export interface AuditCut {
  readonly before: Ms;
  readonly limit: number;
  readonly at: Ms;
}

/**
 * What a store offers to whoever runs the service.
 *
 * What the store is for
 * - S-70: `seal` writes mode and provider into a store that has neither a seal nor an attempt, a
 *   user or a token, and is true for the one call that did, under any race. Later calls of the same
 *   wish are false and change nothing.
 * - S-71: it rejects another mode or another provider with `store.sealed_otherwise`, and a store
 *   that has rows and no seal with `store.unsealed`; both say what to do, and nothing is changed.
 *
 * Users who may not sign in
 * - S-72: `disableUser` sets the moment once, `enableUser` takes it away; both say whether there is
 *   such a user. It is in every `User` that is read, and a later login leaves it as it is.
 * - S-73: `redeemAttempt` gives nothing to a disabled user and writes nothing, under any race with
 *   `disableUser`: what is redeemed after it resolved is refused. Their tokens are still found.
 *
 * Revocation
 * - S-74: `revokeAll` revokes every active token in its scope, and fails every attempt in its scope
 *   that is authenticated and not redeemed, with `attempt.failed`; all of it or nothing. What is
 *   pending, over or out of scope is left as it is.
 *
 * People whose key is lost
 * - S-75: `countLost` is how many people are sealed under a key that the vault does not have.
 *   `forgetLost` removes them with their tokens, and every attempt; all of it or nothing. Who signs
 *   in afterwards is a new user.
 *
 * A backup that takes the place of the store
 * - S-76: `listDisabled` gives every disabled user. `lastUserId` is the highest id that was ever
 *   given to a user, 0 for none.
 * - S-77: `restore` voids what may have been ended since the backup was made: it revokes every active
 *   token, fails every open attempt, and erases the seal of every redemption. Each of the given users
 *   is disabled, known by the document and not by the id; who is not there is added, with their own
 *   id where it is free. Ids up to `lastUserId` are given to nobody else. All of it or nothing, with
 *   one row `store.restored` that has the number of tokens, and one `user.disabled` for each user who
 *   was not disabled before.
 *
 * Audit log
 * - S-80: a change of the store that is an action of the log (domain/audit.ts) has exactly one row,
 *   written together with it; what was refused, or has changed nothing, has none. The start of an
 *   attempt is no action. `recordEvent` writes one row of what the store would not know of.
 * - S-81: rows are numbered from 1 without a gap, in the order of the changes, under any race.
 *   `readAudit` gives at most `limit` rows after the given number, of one attempt if that is asked.
 * - S-82: every row is chained to the one before it by a hash, under any of the keys that the store
 *   knows. `verifyAudit` gives the count and the hash of the last one, or the first row that is wrong
 *   and what is wrong with it.
 * - S-85: `verifyAudit` finds what stands in the store and has no row: a token that was issued or
 *   revoked, an attempt that was authenticated, redeemed or has ended, a user who is disabled. A row
 *   of these can't be cut off unseen for as long as the store has what it is about.
 * - S-86: `auditHead` is number and hash of the last row. `containsHead` is whether the log has that
 *   row with that hash, or was cut by `cutAudit` after it: true for every head that the log ever had,
 *   and false in a store that is older than the head.
 * - S-87: `cutAudit` takes the rows from the front that were all written before the given moment, at
 *   most `limit`, and never the last one; together with that it writes a row `audit.cut` with their
 *   number. It gives that number; for 0 nothing has changed. The log verifies as before.
 * - S-84: `knowsAudit` is whether the last row can be proved by a key of this store's, or there is
 *   none: where it is not, whoever writes the next row breaks the chain.
 * - S-83: nothing else takes a row away, and nothing changes one: no call of this port, and no purge.
 *
 * Calls to the provider
 * - S-90: `listCalls` gives what `recordCall` was given for the attempt whose id is the call's
 *   `requestId`, in that order. A call of no attempt, or of one that is not there, is not kept.
 * - S-91: of one attempt the latest 200 are kept (`CALLS_KEPT`), and content that is too long is
 *   replaced by a mark.
 * - S-92: they go with their attempt.
 */
export interface Oversight {
  /** @throws StoreOpenError by rejection */
  seal(wish: StoreSeal, at: Ms): Promise<boolean>;

  findUser(userId: UserId): Promise<User | null>;
  disableUser(userId: UserId, at: Ms): Promise<boolean>;
  enableUser(userId: UserId, at: Ms): Promise<boolean>;
  revokeAll(at: Ms, scope: RevocationScope): Promise<RevocationCounts>;

  countLost(): Promise<number>;
  forgetLost(at: Ms): Promise<number>;

  listDisabled(): Promise<readonly User[]>;
  lastUserId(): Promise<number>;
  restore(change: Recovery): Promise<RecoveryCounts>;

  recordCall(call: ProviderCall): Promise<void>;
  listCalls(attemptId: AttemptId): Promise<readonly ProviderCall[]>;

  recordEvent(event: AuditEvent): Promise<void>;
  knowsAudit(): Promise<boolean>;
  auditHead(): Promise<AuditHead>;
  containsHead(head: AuditHead): Promise<boolean>;
  cutAudit(cut: AuditCut): Promise<number>;
  readAudit(query: AuditQuery): Promise<readonly AuditRow[]>;
  /** `pause` is waited for now and then: a log takes a second for some hundred thousand rows. */
  verifyAudit(pause?: () => Promise<void>): Promise<AuditVerdict>;
}
