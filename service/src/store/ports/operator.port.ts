import type { AttemptId } from '../../values/ids.ts';
import type { AuditVerdict } from '../../audit/audit-chain.ts';
import type { KeptHead } from '../../audit/audit-head.ts';
import type {
  AuditEvent,
  AuditHead,
  AuditQuery,
  AuditRow,
  LastSuccesses,
} from '../../audit/audit.ts';
import type { ProviderCall } from '../../attempt/provider-call.ts';
import type { StoreBinding } from '../../values/store-binding.ts';
import type { Ms } from '../../values/time.ts';
import type { User } from '../../account/user.ts';
import type { KeptOut } from './personal-data.port.ts';
import type { RevocationCounts } from './tokens.port.ts';

/** What a store was bound to. */
export interface Bound {
  /** Whether this call has written what the store is for. */
  readonly isFirst: boolean;
  /** What the store says that it is for, with every issuer and prefix that it knows. */
  readonly binding: StoreBinding;
}

/** Facts that a backup lacks, read from the store that it replaces. */
export interface Recovery {
  readonly at: Ms;
  readonly disabled: readonly User[];
  readonly keptOut: readonly KeptOut[];
  readonly lastUserId: number;
  /** Whether `disabled` are of a store that went on from this one, so that their ids are theirs here. */
  readonly isContinued: boolean;
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

export interface PurgeBounds {
  readonly expiredBefore: Ms;
  readonly redeemedBefore: Ms;
  readonly limit: number;
}

/** How many rows of each kind may stay; null for no limit. */
export interface RowLimits {
  readonly attempts: number | null;
  readonly calls: number | null;
}

/** Rows before these times are too many; null where all may stay. */
export interface RowCutoffs {
  readonly attempts: Ms | null;
  readonly calls: Ms | null;
}

export interface TrimBounds {
  readonly attemptsBefore: Ms;
  readonly callsBefore: Ms;
  readonly limit: number;
}

export interface TrimCounts {
  readonly attempts: number;
  readonly calls: number;
}

/** A clock that goes back. */
export interface ClockStep {
  readonly from: Ms;
  readonly to: Ms;
}

export interface PurgeCounts {
  readonly attempts: number;
  readonly tokens: number;
  readonly seals: number;
  /** Records of the OpenID Provider. */
  readonly openid: number;
}

/**
 * What a store offers to the operator of the service.
 *
 * What the store is for
 * - S-70: `bindTo` writes mode and provider into a store that is bound to nothing and has neither an
 *   attempt, a user nor a token. It gives `isFirst` for the one call that wrote them, also under any
 *   race. Later calls with the same values do not, and change nothing.
 * - S-71: for another mode or another provider `bindTo` rejects with `store.bound_otherwise`, and
 *   for a store that has rows but is bound to nothing with `store.unbound`. Both messages say what
 *   to do, and nothing is changed.
 *
 * - S-113: a wish is for the same provider when the address is the same and the store knows one of
 *   its prefixes and one of its issuers. `bindTo` adds the others to those that the store knows, each
 *   with a row of the audit log that names it. The first issuer of what it gives is the one that the
 *   store was bound with, for ever.
 *
 * A backup that replaces the store
 * - S-77: `restore` ends everything that may have been ended since the backup was made: it revokes
 *   every active token, fails every open attempt, and erases the seal of every redemption and the
 *   launch address of every attempt. It
 *   disables each of the given users, found by the document and not by the id; a user who does not
 *   exist is added, with their own id if it is free and their store went on from this one. Each of
 *   `keptOut` is kept out here too, and disabled if the backup has them, under whichever key of the
 *   vault. Ids up to `lastUserId` are given to nobody
 *   else. It does all of this or nothing, and writes one row `store.restored` with the number of
 *   tokens, one `attempt.failed` with the number of attempts, if there are any, and one
 *   `user.disabled` for each user who was not disabled before.
 *
 * Audit log
 * - S-80: a change of the store that is an action of the log (audit/audit.ts) has exactly one row,
 *   written together with the change; a change that was refused or had no effect has none. The
 *   start of an attempt is not an action. `recordEvent` writes one row for an event that is no
 *   change of the store.
 * - S-81: rows are numbered from 1 without a gap, in the order of the changes, also under any race.
 *   `readAudit` gives at most `limit` rows after the given number; if an attempt is given, only its
 *   rows.
 * - S-82: every row is chained to the one before it by a hash, made with any of the keys that the
 *   store knows. `verifyAudit` gives the number of rows and the hash of the last one, or the first
 *   row that is wrong and what is wrong with it. A proved row `people.forgotten` stands for the rows
 *   before it that no key proves; their last number is given too.
 * - S-85: `verifyAudit` finds facts in the store that have no row: a token that was issued or
 *   revoked, an attempt that was authenticated, redeemed or has ended, a disabled user. So nobody
 *   can cut off such a row unnoticed as long as the store holds the fact. It also finds a row whose
 *   fact was undone: a token that was revoked and is not, a user who was disabled last and is not.
 *   What was purged or erased is no contradiction.
 * - S-86: `auditHead` gives the number and hash of the last row. `containsHead` says whether the
 *   log has the row with that number and hash, or `cutAudit` removed rows up to it or past it: true
 *   for every head that the log ever had, and false in a store that is older than the head.
 * - S-88: `knowsHead` is true for a head that the log contains, and for one that was read before
 *   the last row `store.restored`, if a key proves that row: what the head proves was ended there.
 *   It is false while `isBehind`, which says whether a row `store.behind` comes after that row.
 * - S-87: `cutAudit` removes rows from the front that were all written before the given time: at
 *   most `limit`, and never the last row. In the same transaction it writes a row `audit.cut` with
 *   their number. It gives that number; for 0 nothing has changed. The log verifies as before. It
 *   rejects with `BrokenAudit`, and removes nothing, where `verifyAudit` would find one of these
 *   rows wrong, or the row before them.
 * - S-84: `canVerifyAudit` says whether one of this store's keys proves the last row, or there are no
 *   rows. If it is false, the next row that is written breaks the chain.
 * - S-131: `lastSuccesses` gives the time of the last row of each task (`TASKS`), if one of the
 *   store's keys proves that row; a task without one is not in it.
 * - S-83: nothing else removes a row, and nothing changes one: no other call of this port, and no
 *   purge.
 *
 * Calls to the provider
 * - S-90: `listCalls` gives the calls recorded by `recordCall` whose `requestId` is the attempt's
 *   id, in the order in which they were recorded. A call without an attempt, or with an unknown one,
 *   is not kept.
 * - S-91: after a call was recorded, the attempt has its latest 200 calls (`CALLS_KEPT`) and no
 *   others. Of calls recorded at the same time, through this store or another one on the same
 *   database, none of the latest 200 is lost; the next call removes those that are too many. Content
 *   that is too long is replaced by a mark.
 * - S-92: calls are removed together with their attempt.
 *
 * Age and number
 * - S-17: `purge` removes attempts that expired before `expiredBefore` with their transactions,
 *   tokens that expired before it, and pushes that have been outside every window since before it.
 *   It erases the seals of redemptions, and in a store that has a vault the identifiers of attempts
 *   that expired, before `redeemedBefore`. It touches nothing else, and changes at most `limit` rows
 *   of each kind per call.
 * - S-25: `findRowCutoffs` gives the expiry of the n-th attempt when the latest expiry comes first, and
 *   the time of the n-th call when the latest comes first; null for a kind that has fewer rows, or
 *   for which no number is given.
 * - S-26: `trim` removes attempts that expired before `attemptsBefore`, the earliest first, with
 *   their transactions and calls, and calls recorded before `callsBefore`. It touches nothing else,
 *   no token either, and removes at most `limit` rows of each kind per call.
 * - S-109: `endOverdue` makes `to` the expiry of each open attempt and each token that had expired
 *   at `from` and would not have at `to`. What back ends and clients are to be told after `to` is due
 *   then. It touches nothing else.
 */
export interface OperatorStore {
  /** @throws StoreOpenError by rejection */
  bindTo(binding: StoreBinding, at: Ms): Promise<Bound>;

  restore(change: Recovery): Promise<RecoveryCounts>;

  recordCall(call: ProviderCall): Promise<void>;
  listCalls(attemptId: AttemptId): Promise<readonly ProviderCall[]>;

  recordEvent(event: AuditEvent): Promise<void>;
  canVerifyAudit(): Promise<boolean>;
  auditHead(): Promise<AuditHead>;
  containsHead(head: AuditHead): Promise<boolean>;
  knowsHead(head: KeptHead): Promise<boolean>;
  isBehind(): Promise<boolean>;
  /** @throws BrokenAudit by rejection */
  cutAudit(cut: AuditCut): Promise<number>;
  lastSuccesses(): Promise<LastSuccesses>;
  readAudit(query: AuditQuery): Promise<readonly AuditRow[]>;
  /**
   * Awaits `pause` from time to time: some hundred thousand rows take a second, during which
   * nothing else would run.
   */
  verifyAudit(pause?: () => Promise<void>): Promise<AuditVerdict>;

  purge(bounds: PurgeBounds): Promise<PurgeCounts>;
  endOverdue(step: ClockStep): Promise<void>;
  findRowCutoffs(limits: RowLimits): Promise<RowCutoffs>;
  trim(bounds: TrimBounds): Promise<TrimCounts>;
}
