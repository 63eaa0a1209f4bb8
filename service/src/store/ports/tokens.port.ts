import type { ApiTokenId, ApiTokenRecord } from '../../account/api-token.ts';
import type { AttemptId } from '../../values/ids.ts';
import type { Digest } from '../../values/secret.ts';
import type { Ms } from '../../values/time.ts';
import type { User, UserId } from '../../account/user.ts';

/** The owner of tokens: one person with one client. */
export interface TokenOwner {
  readonly userId: UserId;
  readonly client: string;
}

export interface TokenPage {
  /** The last token of the page before it; null for the first page. */
  readonly after: ApiTokenId | null;
  readonly limit: number;
}

export interface TokenWithUser {
  readonly token: ApiTokenRecord;
  readonly user: User;
}

/** The tokens that a revocation covers. */
export type RevocationScope = 'all' | { readonly userId: UserId } | { readonly client: string };

export interface RevocationCounts {
  readonly tokens: number;
  /** Sign-ins under way, which become nothing any more. */
  readonly attempts: number;
}

export interface RevokedPage extends RevocationCounts {
  /** The next page comes after it. Null after the last page. */
  readonly last: ApiTokenId | null;
}

/**
 * API tokens.
 *
 * - S-20: `findToken` finds a token by its digest, including expired and revoked tokens.
 * - S-21: `listTokens` gives at most `limit` active tokens of that person with that client, newest
 *   first: those whose id comes before `after`, or the newest ones if `after` is null. Ids begin
 *   with the time, so tokens that are issued or end meanwhile do not shift other pages.
 * - S-22: `revokeToken` revokes an active token of that person with that client: the first call
 *   gives true, later ones give false.
 * - S-23: a token keeps working after its attempt was purged.
 * - S-74: `revokeAll` revokes every active token in its scope, and fails with `attempt.failed`
 *   every attempt in its scope that is pending, or authenticated and not redeemed, and erases its
 *   launch address. It does all of this or nothing. Attempts that have ended, and everything out of
 *   scope, stay as they are. A redemption at the same time, through this store or another one on
 *   the same database, comes wholly before it, so that its token is revoked, or wholly after it, so
 *   that it gives nothing. The attempts that it fails have one row together, `attempt.failed` with
 *   their number.
 * - S-79: with one user as the scope it also keeps the time in `signInsEndedAt`, the latest if there
 *   are several, in the same transaction. From then on `authenticateAttempt` and `redeemAttempt`
 *   give null for an attempt that began at this time or before and is the person's, under any race
 *   and under an earlier key of the vault; the first one then creates and changes no user. An
 *   attempt that is open by then has begun before, whatever its `createdAt` says: the clock of
 *   whoever began it may be ahead, so a later `createdAt` becomes this time.
 * - S-78: with a page, `revokeAll` does the same in several transactions, each with its row in the
 *   audit log: the first `limit` tokens after `after`, in the order of their ids. `last` is the
 *   last of them, where the next page begins; when fewer are left, it is the last page, and null.
 *   Only the row of the last page has the scope as its detail: where it is missing, the revocation
 *   was interrupted. The page from the beginning fails the attempts. So after the last page nothing
 *   is left of what S-74 would have ended at the moment of the first.
 */
export interface TokenStore {
  /** Finds active and inactive tokens; null for an unknown digest. */
  findToken(digest: Digest): Promise<TokenWithUser | null>;
  findTokenOfAttempt(attemptId: AttemptId): Promise<TokenWithUser | null>;
  listTokens(owner: TokenOwner, page: TokenPage, now: Ms): Promise<readonly ApiTokenRecord[]>;
  revokeToken(tokenId: ApiTokenId, owner: TokenOwner, at: Ms): Promise<boolean>;
  revokeAll(at: Ms, scope: RevocationScope, page?: TokenPage): Promise<RevokedPage>;
}
