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
 */
export interface Oversight {
  /** @throws StoreOpenError by rejection */
  seal(wish: StoreSeal, at: Ms): Promise<boolean>;

  findUser(userId: UserId): Promise<User | null>;
  disableUser(userId: UserId, at: Ms): Promise<boolean>;
  enableUser(userId: UserId, at: Ms): Promise<boolean>;
  revokeAll(at: Ms, scope: RevocationScope): Promise<RevocationCounts>;
}
