import type { Ms } from '../../values/time.ts';
import type { PersonKey, User, UserId } from '../../account/user.ts';

/**
 * Users: the people who have signed in.
 *
 * Disabled users
 * - S-72: `disableUser` sets the time once, and `enableUser` removes it; both say whether the user
 *   exists. The time is in every `User` that is read, and a later login does not change it.
 * - S-73: `redeemAttempt` gives nothing for a disabled user and writes nothing, also under any race
 *   with `disableUser`: every redemption after `disableUser` resolved is refused. The user's tokens
 *   can still be found.
 *
 * Identities at rest, in a store that has a vault (platform/keys/vault.port.ts)
 * - S-60: no name, e-mail address, national id, document number or launch address is readable in
 *   what the store leaves on a disk, not even in a part that nothing refers to any more.
 * - S-62: a sealed value that was moved to another row, or changed, causes an error when it is
 *   read.
 * - S-63: people are recognised after the vault's key was changed, as long as the vault has the
 *   earlier key. `rotateKeys` seals at most `limit` users under the current key, and gives how many
 *   it found under an earlier one: 0 when none is left. A user whose person is another one already
 *   is a twin, which stays as it is: only an instance that lacks a key makes one. Those of `left` are
 *   not looked at.
 * - S-64: `findPerson` gives the user of a person who has signed in, also under an earlier key.
 *
 * People whose key is lost
 * - S-75: `countLost` counts the people who are sealed under a key that the vault does not have.
 *   `forgetLost` removes them with their tokens, removes every attempt and writes a row of the
 *   audit log; it does all of this or nothing. It does it also for 0 people if `canVerifyAudit` is
 *   false, which is true afterwards; otherwise nothing changes for 0 people. A removed person who
 *   signs in again is a new user.
 *
 * For a backup that replaces the store
 * - S-76: `listDisabled` gives every disabled user. `lastUserId` gives the highest id that a user
 *   ever had, or 0 for none. `listUserIds` gives at most `limit` ids of users after the given
 *   number, in order.
 */
export interface UserStore {
  findUser(userId: UserId): Promise<User | null>;
  findPerson(person: PersonKey): Promise<User | null>;
  disableUser(userId: UserId, at: Ms): Promise<boolean>;
  enableUser(userId: UserId, at: Ms): Promise<boolean>;
  rotateKeys(limit: number, at: Ms, left?: readonly UserId[]): Promise<Rotated>;
  countLost(): Promise<number>;
  forgetLost(at: Ms): Promise<number>;
  listDisabled(): Promise<readonly User[]>;
  lastUserId(): Promise<number>;
  listUserIds(after: number, limit: number): Promise<readonly UserId[]>;
}

export interface Rotated {
  readonly sealed: number;
  readonly twins: readonly Twin[];
}

/** Two users who are one person. */
export interface Twin {
  /** Who stays under an earlier key. */
  readonly user: UserId;
  readonly other: UserId;
}
