import type { AttemptId } from '../../values/ids.ts';
import type { User, UserId } from '../../account/user.ts';
import type { Digest } from '../../values/secret.ts';
import type { Ms } from '../../values/time.ts';
import type { AttemptWithUser } from './attempts.port.ts';
import type { LeaseDeliveries } from './outbox.port.ts';

/** Names a record. The id is a secret: whoever has it may use what the record stands for. */
export interface OpenidName {
  readonly model: string;
  readonly id: string;
}

/** One thing that the OpenID Provider keeps: an interaction, a code, a token, a grant. */
export interface OpenidRecord extends OpenidName {
  /** JSON. */
  readonly body: string;
  /** The grant that it ends with. */
  readonly grant: string | null;
  /** The `sub` of the person whom it is about. */
  readonly subject: string | null;
  readonly client: string | null;
  /** The attempt that a new record is linked to; null for none. */
  readonly attemptId: AttemptId | null;
  /** Null for what stays until it is removed. */
  readonly expiresAt: Ms | null;
}

/** Whom an application has got lasting access for. */
export interface GrantIssue {
  readonly userId: UserId;
  readonly at: Ms;
}

export interface FoundOpenid {
  readonly body: string;
  readonly attemptId: AttemptId | null;
  readonly expiresAt: Ms | null;
  readonly consumedAt: Ms | null;
}

export interface ReplaceOpenid extends OpenidName {
  /** The body as it was read. */
  readonly from: string;
  readonly to: string;
  readonly at: Ms;
}

/** A sign-in that was ended, of which a client is to be told. */
export interface EndedOpenid {
  /** Names it in the store. */
  readonly name: string;
  /** JSON. */
  readonly body: string;
  readonly endedAt: Ms;
}

export interface EndSome {
  /** Null for all clients. */
  readonly client: string | null;
  /** The last record of the part before; null for the first part. */
  readonly after: string | null;
  readonly limit: number;
  readonly at: Ms;
}

export interface LeaseEnded extends Omit<LeaseDeliveries, 'receiver'> {
  /** By its id in the clients file. */
  readonly client: string;
}

/** The record that another one follows. */
export interface Followed extends OpenidName {
  /** Whether it stays beside the one that follows it. */
  readonly stays: boolean;
}

/** One of several changes that are made together. */
export type OpenidChange =
  | { readonly put: OpenidRecord }
  | { readonly consume: OpenidName; readonly at: Ms }
  | { readonly remove: OpenidName }
  | { readonly follow: OpenidRecord; readonly followed: Followed };

export interface ContinueOpenid {
  /** The record of the person. */
  readonly from: OpenidName;
  /** The grant that begins: the name and the expiry of its first record. */
  readonly begins: OpenidName & { readonly expiresAt: Ms };
  readonly client: string | null;
  readonly at: Ms;
}

export interface UseAttempt {
  readonly attemptId: AttemptId;
  readonly at: Ms;
  /** Null when the browser brought no completion code. */
  readonly completionDigest: Digest | null;
  /** The grant that begins with it: its first record, whose body is an empty object by default. */
  readonly begins: OpenidName & { readonly body?: string; readonly expiresAt: Ms };
}

export interface ConsumeAttempt extends UseAttempt {
  /** Becomes the person's `sub`, unless they have one. */
  readonly subject: string;
  /** A record that is removed with it. */
  readonly ends?: OpenidName | null;
}

export interface ConsumedAttempt extends AttemptWithUser {
  readonly user: User;
  readonly subject: string;
}

/** What a sign-in ends with, as it is read. */
export interface FoundSignIn extends AttemptWithUser {
  /** Null for a person who has none yet. */
  readonly subject: string | null;
}

/**
 * What the OpenID Provider keeps.
 *
 * - S-120: `putOpenid` writes a record with its link, or writes it anew: then the link that it has, and
 *   the time of its consumption, stay. `findOpenid` gives exactly what was written, expired or not, or
 *   null. Two models may have the same id. With an issue, a row `openid.grant_issued` of the user and
 *   the record's client is written in the same transaction.
 * - S-121: `keepOpenid` writes a record that is not there. It gives the body that is there afterwards,
 *   the same one to every call, under any race.
 * - S-122: of any number of calls of `consumeOpenid` for one record one gives true.
 * - S-123: `insertAttempt` and `openTransaction` write the record that their attempt is begun for, linked
 *   to it, or change the link of one from what they say to their attempt, in the same transaction. Of any
 *   number of calls for one link one does so, under any race: to the others `insertAttempt` gives false
 *   and `openTransaction` null, and they change nothing. Of an attempt that can't be opened the record is
 *   written all the same. `openidOfAttempt` finds the record by its link.
 * - S-124: `removeOpenid` removes one record: of any number of calls for it one gives true.
 *   `removeOpenidGrant` removes every record that ends with a grant. The one call of it that has
 *   removed something writes a row `openid.grant_ended` of the user and the client.
 * - S-125: `purge` removes records that expired before `redeemedBefore`, at most `limit` of them,
 *   and says how many.
 * - S-126: `revokeAll`, `disableUser` and `eraseUser` remove the records in their scope, and
 *   `restore` all, in the same transaction; those that do not expire stay. `forgetLost` removes those
 *   under a lost key.
 * - S-127: `consumeAttempt` redeems an attempt where `redeemAttempt` would, with a row
 *   `openid.signed_in` and without an API token. It gives the person their `sub` at the first time
 *   and the same one ever after, also after a change of the vault's key. In every other case it gives
 *   null and changes nothing. `findSubject` finds the user by it. `findSignIn` is `findAttempt` with it,
 *   and for a person who has one `useAttempt` does what `consumeAttempt` does, and says whether.
 * - S-149: `authenticateAttempt` with a record gives the person their `sub`, as S-127 does, and writes the
 *   record, of the person and the attempt's client, in its own transaction. `consumeAttempt` removes the
 *   record that it ends in its own, in which the grant begins with the body that it gives. Where the
 *   attempt stays as it is, no record is written or removed.
 * - S-128: in a store with a vault neither an id, a grant nor a body is readable in what the
 *   store leaves on a disk. `resealOpenid` seals at most `limit` records under the current key, and
 *   gives how many it found under an earlier one.
 * - S-129: `replaceOpenid` changes the body of the signing keys from what it says, and gives true to
 *   the one call that has done so, under any race. That one writes a row `openid.keys_rotated`.
 * - S-130: a record that ends with a grant is written only while another one of that grant is there,
 *   which a sign-in to be told of is not:
 *   otherwise `putOpenid` gives false and changes nothing. `consumeAttempt` writes the first one, of
 *   the person and the attempt's client, in its own transaction. So what S-124 and S-126 remove, under
 *   any race, no later write brings back.
 * - S-142: `continueOpenid` writes the first record of a grant, for the person of a record that is there
 *   and has not expired, unless they are disabled, with a row `openid.session_used` of the user and the
 *   client. Otherwise it gives false and changes nothing.
 * - S-143: of a session that clients share (`SHARED_SESSION`) the revocation of any client removes those
 *   of the people in its scope.
 * - S-144: `followOpenid` writes a record only while another one, or itself, is there, and removes that
 *   one in the same transaction unless it stays: otherwise it gives false and changes nothing. So what
 *   S-124 and S-126 remove is not written anew by whoever has read it before.
 * - S-145: of a sign-in to be told of (`TOLD_AT_END`) a revocation, disabling or erasure leaves, in its
 *   own transaction, the body alone, of no person and no grant. `removeOpenidGrant` leaves it as it is.
 *   `clientsToTell` says of which of the clients something is left and due, and `leaseEnded` gives it, to
 *   nobody else until then; it stays until `removeEnded`, or for `TELLING_MS`. `postponeEnded` makes it
 *   due later. `restore` removes them.
 * - S-148: `endSomeOpenid` does to the first `limit` records after `after` what `revokeAll` would do to
 *   them, in the order of their names, and gives the name of the last. The first part writes a row
 *   `tokens.revoked_all` without a detail, of no tokens. Where fewer are left it changes nothing and
 *   gives null: they are left to `revokeAll`, which writes the row of the whole.
 * - S-150: `changeOpenid` makes the changes of a list one after another in one transaction, as the calls
 *   of their names would: up to the first that would give false. It gives how many were made. Called
 *   in the same turn as `consumeAttempt` or `useAttempt`, and after it, it comes after it: a change that
 *   needs the grant which that one begins is made if it begins, and not otherwise.
 */
export interface OpenidRecords {
  putOpenid(record: OpenidRecord, issue?: GrantIssue): Promise<boolean>;
  followOpenid(record: OpenidRecord, followed: Followed): Promise<boolean>;
  changeOpenid(changes: readonly OpenidChange[]): Promise<number>;
  continueOpenid(change: ContinueOpenid): Promise<boolean>;
  keepOpenid(record: OpenidRecord): Promise<string>;
  findOpenid(name: OpenidName): Promise<FoundOpenid | null>;
  openidOfAttempt(attemptId: AttemptId): Promise<FoundOpenid | null>;
  consumeOpenid(name: OpenidName, at: Ms): Promise<boolean>;
  removeOpenid(name: OpenidName): Promise<boolean>;
  removeOpenidGrant(grant: string, at: Ms): Promise<void>;
  resealOpenid(limit: number): Promise<number>;
  replaceOpenid(change: ReplaceOpenid): Promise<boolean>;
  consumeAttempt(change: ConsumeAttempt): Promise<ConsumedAttempt | null>;
  useAttempt(change: UseAttempt): Promise<boolean>;
  findSubject(subject: string): Promise<User | null>;
  findSignIn(attemptId: AttemptId): Promise<FoundSignIn | null>;
  clientsToTell(clients: readonly string[], at: Ms): Promise<readonly string[]>;
  leaseEnded(lease: LeaseEnded): Promise<readonly EndedOpenid[]>;
  postponeEnded(name: string, until: Ms): Promise<void>;
  removeEnded(name: string): Promise<void>;
  endSomeOpenid(change: EndSome): Promise<string | null>;
}
