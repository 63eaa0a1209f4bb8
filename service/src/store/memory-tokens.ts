import { isTokenActive, type ApiTokenId, type ApiTokenRecord } from '../domain/api-token.ts';
import type { AttemptId } from '../domain/attempt-id.ts';
import type { Digest } from '../domain/digest.ts';
import type { Ms } from '../domain/time.ts';
import type { UserId } from '../domain/user.ts';
import type { RevocationScope } from '../ports/oversight.ts';
import { isInScope } from './revocation-scope.ts';

/** The API tokens of the memory store. */
export class MemoryTokens {
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
  activeOf(userId: UserId, now: Ms): ApiTokenRecord[] {
    return [...this.#tokens.values()]
      .filter((token) => token.userId === userId && isTokenActive(token, now))
      .toSorted((one, other) => other.createdAt - one.createdAt);
  }

  revoke(tokenId: ApiTokenId, userId: UserId, at: Ms): ApiTokenRecord | null {
    const token = this.#tokens.get(tokenId);
    if (token === undefined || token.userId !== userId || !isTokenActive(token, at)) return null;
    this.#tokens.set(tokenId, { ...token, revokedAt: at });
    return token;
  }

  /** Gives how many that were. */
  revokeAll(scope: RevocationScope, at: Ms): number {
    const active = [...this.#tokens.values()].filter(
      (token) => isInScope(scope, token) && isTokenActive(token, at),
    );
    for (const token of active) this.#tokens.set(token.tokenId, { ...token, revokedAt: at });
    return active.length;
  }

  purge(expiredBefore: Ms, limit: number): number {
    const expired = [...this.#tokens.values()]
      .filter(({ expiresAt }) => expiresAt < expiredBefore)
      .slice(0, limit);
    for (const { tokenId, tokenDigest, attemptId } of expired) {
      this.#tokens.delete(tokenId);
      this.#ofDigest.delete(tokenDigest);
      this.#ofAttempt.delete(attemptId);
    }
    return expired.length;
  }

  #get(tokenId: ApiTokenId | undefined): ApiTokenRecord | null {
    return tokenId === undefined ? null : (this.#tokens.get(tokenId) ?? null);
  }
}
