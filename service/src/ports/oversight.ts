import type { AttemptId } from '../domain/attempt-id.ts';
import type { AuditVerdict } from '../domain/audit-chain.ts';
import type { AuditEvent, AuditHead, AuditQuery, AuditRow } from '../domain/audit.ts';
import type { ProviderCall } from '../domain/provider-call.ts';
import type { StoreSeal } from '../domain/store-seal.ts';
import type { Ms } from '../domain/time.ts';
import type { User, UserId } from '../domain/user.ts';

/** The tokens that a revocation covers. */
export type RevocationScope = 'all' | { readonly userId: UserId } | { readonly client: string };

export interface RevocationCounts {
  readonly tokens: number;
  /** Authenticated attempts, for which no token can be issued any more. */
  readonly attempts: number;
}

/** Facts that a backup lacks, read from the store that it replaces. */
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
 * What a store offers to the operator of the service.
 *
 * What the store is for
 * - S-70: `seal` writes mode and provider into a store that has neither a seal nor an attempt, a
 *   user or a token. It gives true for the one call that wrote them, also under any race. Later
 *   calls with the same values give false and change nothing.
 * - S-71: for another mode or another provider `seal` rejects with `store.sealed_otherwise`, and
 *   for a store that has rows but no seal with `store.unsealed`. Both messages say what to do, and
 *   nothing is changed.
 *
 * Disabled users
 * - S-72: `disableUser` sets the time once, and `enableUser` removes it; both say whether the user
 *   exists. The time is in every `User` that is read, and a later login does not change it.
 * - S-73: `redeemAttempt` gives nothing for a disabled user and writes nothing, also under any race
 *   with `disableUser`: every redemption after `disableUser` resolved is refused. The user's tokens
 *   can still be found.
 *
 * Revocation
 * - S-74: `revokeAll` revokes every active token in its scope, and fails with `attempt.failed`
 *   every attempt in its scope that is authenticated and not redeemed. It does all of this or
 *   nothing. Attempts that are pending or have ended, and everything out of scope, stay as they
 *   are.
 *
 * People whose key is lost
 * - S-75: `countLost` counts the people who are sealed under a key that the vault does not have.
 *   `forgetLost` removes them with their tokens, and removes every attempt; it does all of this or
 *   nothing. A removed person who signs in again is a new user.
 *
 * A backup that replaces the store
 * - S-76: `listDisabled` gives every disabled user. `lastUserId` gives the highest id that a user
 *   ever had, or 0 for none.
 * - S-77: `restore` ends everything that may have been ended since the backup was made: it revokes
 *   every active token, fails every open attempt, and erases the seal of every redemption. It
 *   disables each of the given users, found by the document and not by the id; a user who does not
 *   exist is added, with their own id if it is free. Ids up to `lastUserId` are given to nobody
 *   else. It does all of this or nothing, and writes one row `store.restored` with the number of
 *   tokens, and one `user.disabled` for each user who was not disabled before.
 *
 * Audit log
 * - S-80: a change of the store that is an action of the log (domain/audit.ts) has exactly one row,
 *   written together with the change; a change that was refused or had no effect has none. The
 *   start of an attempt is not an action. `recordEvent` writes one row for an event that is no
 *   change of the store.
 * - S-81: rows are numbered from 1 without a gap, in the order of the changes, also under any race.
 *   `readAudit` gives at most `limit` rows after the given number; if an attempt is given, only its
 *   rows.
 * - S-82: every row is chained to the one before it by a hash, made with any of the keys that the
 *   store knows. `verifyAudit` gives the number of rows and the hash of the last one, or the first
 *   row that is wrong and what is wrong with it.
 * - S-85: `verifyAudit` finds facts in the store that have no row: a token that was issued or
 *   revoked, an attempt that was authenticated, redeemed or has ended, a disabled user. So nobody
 *   can cut off such a row unnoticed as long as the store holds the fact.
 * - S-86: `auditHead` gives the number and hash of the last row. `containsHead` says whether the
 *   log has the row with that number and hash, or `cutAudit` removed rows up to it or past it: true
 *   for every head that the log ever had, and false in a store that is older than the head.
 * - S-87: `cutAudit` removes rows from the front that were all written before the given time: at
 *   most `limit`, and never the last row. In the same transaction it writes a row `audit.cut` with
 *   their number. It gives that number; for 0 nothing has changed. The log verifies as before.
 * - S-84: `knowsAudit` says whether one of this store's keys proves the last row, or there are no
 *   rows. If it is false, the next row that is written breaks the chain.
 * - S-83: nothing else removes a row, and nothing changes one: no other call of this port, and no
 *   purge.
 *
 * Calls to the provider
 * - S-90: `listCalls` gives the calls recorded by `recordCall` whose `requestId` is the attempt's
 *   id, in their order. A call without an attempt, or with an unknown one, is not kept.
 * - S-91: the latest 200 calls of an attempt are kept (`CALLS_KEPT`), and content that is too long
 *   is replaced by a mark.
 * - S-92: calls are removed together with their attempt.
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
  /**
   * Awaits `pause` from time to time: some hundred thousand rows take a second, during which
   * nothing else would run.
   */
  verifyAudit(pause?: () => Promise<void>): Promise<AuditVerdict>;
}
