import type { ApiTokenId, ApiTokenRecord } from '../../../src/account/api-token.ts';
import type { AttemptId } from '../../../src/values/ids.ts';
import type { Digest } from '../../../src/values/secret.ts';
import type { Ms } from '../../../src/values/time.ts';
import type { UserId } from '../../../src/account/user.ts';
import type { RevocationScope } from '../../../src/store/ports/store.port.ts';
import type { TokenOwner, TokenPage } from '../../../src/store/ports/store.port.ts';
import { isTokenActive } from '../rules.ts';
import { isInScope } from '../is-in-scope.ts';

/** The API tokens of the model. */
export class TokenTable {
  readonly #tokens = new Map<ApiTokenId, ApiTokenRecord>();
  readonly #ofDigest = new Map<Digest, ApiTokenId>();
  readonly #ofAttempt = new Map<AttemptId, ApiTokenId>();

  get isEmpty(): boolean {
    return this.#tokens.size === 0;
  }

  add(token: ApiTokenRecord): void {
    this.#tokens.set(token.tokenId, token);
    this.#ofDigest.set(token.tokenDigest, token.tokenId);
    this.#ofAttempt.set(token.attemptId, token.tokenId);
  }

  ofDigest(digest: Digest): ApiTokenRecord | null {
    return this.#get(this.#ofDigest.get(digest));
  }

  ofAttempt(attemptId: AttemptId): ApiTokenRecord | null {
    return this.#get(this.#ofAttempt.get(attemptId));
  }

  /** Newest first. */
  activeOf(owner: TokenOwner, { after, limit }: TokenPage, now: Ms): ApiTokenRecord[] {
    return [...this.#tokens.values()]
      .filter((token) => isOf(owner, token) && isTokenActive(token, now))
      .filter(({ tokenId }) => after === null || tokenId < after)
      .toSorted((one, other) => (one.tokenId < other.tokenId ? 1 : -1))
      .slice(0, limit);
  }

  revoke(tokenId: ApiTokenId, owner: TokenOwner, at: Ms): ApiTokenRecord | null {
    const token = this.#tokens.get(tokenId);
    if (token === undefined || !isOf(owner, token) || !isTokenActive(token, at)) return null;
    this.#tokens.set(tokenId, { ...token, revokedAt: at });
    return token;
  }

  /** @returns those that were revoked, in the order of their ids */
  revokeAll(scope: RevocationScope, { after, limit }: TokenPage, at: Ms): ApiTokenRecord[] {
    const page = [...this.#tokens.values()]
      .filter((token) => isInScope(scope, token) && isTokenActive(token, at))
      .filter(({ tokenId }) => after === null || tokenId > after)
      .toSorted((one, other) => (one.tokenId < other.tokenId ? -1 : 1))
      .slice(0, limit);
    for (const token of page) this.#tokens.set(token.tokenId, { ...token, revokedAt: at });
    return page;
  }

  endOverdue(from: Ms, to: Ms): void {
    for (const token of this.#tokens.values()) {
      const isOverdue = token.expiresAt > to && token.expiresAt <= from;
      if (isOverdue) this.#tokens.set(token.tokenId, { ...token, expiresAt: to });
    }
  }

  purge(expiredBefore: Ms, limit: number): number {
    const expired = [...this.#tokens.values()]
      .filter(({ expiresAt }) => expiresAt < expiredBefore)
      .slice(0, limit);
    for (const token of expired) this.#delete(token);
    return expired.length;
  }

  of(userId: UserId): ApiTokenRecord[] {
    return [...this.#tokens.values()]
      .filter((token) => token.userId === userId)
      .toSorted((one, other) => (one.tokenId < other.tokenId ? -1 : 1));
  }

  /** @returns how many were removed */
  deleteOf(userId: UserId): number {
    const tokens = this.of(userId);
    for (const token of tokens) this.#delete(token);
    return tokens.length;
  }

  #delete({ tokenId, tokenDigest, attemptId }: ApiTokenRecord): void {
    this.#tokens.delete(tokenId);
    this.#ofDigest.delete(tokenDigest);
    this.#ofAttempt.delete(attemptId);
  }

  #get(tokenId: ApiTokenId | undefined): ApiTokenRecord | null {
    return tokenId === undefined ? null : (this.#tokens.get(tokenId) ?? null);
  }
}

function isOf({ userId, client }: TokenOwner, token: ApiTokenRecord): boolean {
  return token.userId === userId && token.client === client;
}
