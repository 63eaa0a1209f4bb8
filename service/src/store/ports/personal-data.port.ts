import type { ApiTokenRecord } from '../../account/api-token.ts';
import type { AttemptId } from '../../values/ids.ts';
import type { AttemptRecord } from '../../attempt/attempt.ts';
import type { Digest } from '../../values/secret.ts';
import type { NationalId, User, UserId } from '../../account/user.ts';
import type { Ms } from '../../values/time.ts';

/** A push that counts in the budgets. */
export interface PushRecord {
  readonly attemptId: AttemptId;
  readonly client: string;
  readonly admittedAt: Ms;
  /** When it has left every window, and may be removed. */
  readonly countsUntil: Ms;
}

/** A record of the OpenID Provider; its body is JSON. */
export interface OpenidOfUser {
  readonly model: string;
  readonly client: string | null;
  readonly body: string;
  readonly expiresAt: Ms | null;
}

/** What the store has of a user beside the row of the user. */
export interface RecordsOfUser {
  readonly tokens: readonly ApiTokenRecord[];
  /** Those of the user, and those that ask for their national id and are of no user yet. */
  readonly attempts: readonly AttemptRecord[];
  readonly pushes: readonly PushRecord[];
  /** What the OpenID Provider keeps about them. */
  readonly openid: readonly OpenidOfUser[];
  /**
   * Whether another user has the same national id: two registers may give one number to two people.
   * Then nobody knows which of them an attempt of no user asks for.
   */
  readonly isShared: boolean;
}

export interface EraseUser {
  readonly userId: UserId;
  readonly at: Ms;
  /** The digests under which the pushes of the user are counted: one for each key of the server. */
  readonly pushesOf: readonly Digest[];
  /**
   * Whether the person is kept out if they sign in again. Null: nobody has decided, which is enough
   * unless the user is disabled.
   */
  readonly keepsOut: boolean | null;
}

export interface ErasureCounts {
  readonly tokens: number;
  readonly attempts: number;
}

/** Somebody who was erased and is kept out. Only stores with the same keys understand the digest. */
export interface KeptOut {
  readonly digest: string;
  /** The id of the key; null without a vault. */
  readonly key: string | null;
  readonly since: Ms;
}

/** `undecided`: the user is disabled, and `keepsOut` is null. In both cases nothing has changed. */
export type Erasure = ErasureCounts | 'unknown' | 'undecided';

/**
 * Everything about one person, to be handed out or erased.
 *
 * - S-100: `findUsersNamed` gives every user with this national id or document number, by their id.
 * - S-101: `readRecords` gives the user's tokens and attempts, the attempts that ask for the user's
 *   national id and are of no user yet, the pushes that are counted under one of the given digests,
 *   and what the OpenID Provider keeps about the user; each by its id. It says whether another user has
 *   that national id.
 * - S-102: `eraseUser` removes the user, their tokens, the attempts that `readRecords` gives with
 *   their transactions and calls, and the person from their pushes. It does all of this or nothing,
 *   touches nothing of anybody else, and writes one row `user.erased` that names nobody. The id of
 *   the user is given to nobody else. Attempts that begin meanwhile and ask for the user are removed
 *   too, those from before the end of the user without exception; if the process dies at this moment
 *   they stay as long as any attempt.
 * - S-103: a user who is disabled is erased only if `keepsOut` is decided. After `keepsOut: true` a
 *   person who signs in again is a new user, who is disabled from the beginning, also after a change
 *   of the vault's key, as long as the vault has the earlier one. `enableUser` and
 *   `keepsOut: false` end this, under whichever key it was written. `rotateKeys` moves it together
 *   with a user who has come back. Of who is kept out only the digest is stored.
 * - S-104: `verifyAudit` is as good after an erasure as before, also when the person has come back.
 * - S-105: `countKeptOutBefore` counts who is kept out under an earlier key of the vault, and
 *   `listKeptOut` gives all of them.
 */
export interface PersonalDataStore {
  findUsersNamed(nationalId: NationalId): Promise<readonly User[]>;
  readRecords(user: User, pushesOf: readonly Digest[]): Promise<RecordsOfUser>;
  eraseUser(change: EraseUser): Promise<Erasure>;
  countKeptOutBefore(): Promise<number>;
  listKeptOut(): Promise<readonly KeptOut[]>;
}
