import { isTokenActive, type ApiTokenId, type ApiTokenRecord } from '../domain/api-token.ts';
import type { AttemptId } from '../domain/attempt-id.ts';
import {
  attemptAt,
  authenticate,
  expiryOf,
  fail,
  missCompletion,
  provesAttempt,
  redeem,
  reject,
  type Attempt,
  type AttemptRecord,
} from '../domain/attempt.ts';
import type { Digest } from '../domain/digest.ts';
import { Refusal } from '../domain/errors/refusal.ts';
import type { Ms } from '../domain/time.ts';
import {
  parseUserId,
  userAfterLogin,
  type Person,
  type User,
  type UserId,
} from '../domain/user.ts';
import type {
  AttemptWithUser,
  AuthenticateAttempt,
  EndAttempt,
  PurgeBounds,
  PurgeCounts,
  RedeemAttempt,
  Store,
  StoreHealth,
  TokenWithUser,
} from '../ports/store.ts';
import { StatementError } from './store-fault.ts';

/**
 * The port over maps. Each method is one step of the event loop, so nothing can come in between;
 * and forgets everything with the process, so S-1 holds only as far as that.
 */
export class MemoryStore implements Store {
  readonly #attempts = new Map<AttemptId, AttemptRecord>();
  readonly #users = new Map<UserId, User>();
  readonly #userOfPerson = new Map<string, UserId>();
  readonly #tokens = new Map<ApiTokenId, ApiTokenRecord>();
  readonly #tokenOfDigest = new Map<Digest, ApiTokenId>();
  readonly #tokenOfAttempt = new Map<AttemptId, ApiTokenId>();
  #isClosed = false;

  async insertAttempt(attempt: AttemptRecord): Promise<void> {
    this.#requireOpen();
    if (this.#attempts.has(attempt.attemptId)) throw new StatementError('the attempt id exists');
    this.#attempts.set(attempt.attemptId, attempt);
  }

  async findAttempt(attemptId: AttemptId): Promise<AttemptWithUser | null> {
    this.#requireOpen();
    const attempt = this.#attempts.get(attemptId);
    return attempt === undefined ? null : { attempt, user: this.#user(attempt.userId) };
  }

  async findProvenAttempt(attemptId: AttemptId, digest: Digest): Promise<AttemptWithUser | null> {
    const found = await this.findAttempt(attemptId);
    return provesAttempt(found?.attempt ?? null, digest) ? found : null;
  }

  async authenticateAttempt(change: AuthenticateAttempt): Promise<AttemptWithUser | null> {
    const user = this.#userAfter(change);
    const attempt = this.#change(change.attemptId, change.at, (from) =>
      authenticate(from, { ...change, userId: user.id }),
    );
    if (attempt === null) return null;
    this.#users.set(user.id, user);
    this.#userOfPerson.set(personKey(user), user.id);
    return { attempt, user };
  }

  async rejectAttempt({ attemptId, at, reason }: EndAttempt): Promise<AttemptRecord | null> {
    return this.#change(attemptId, at, (from) => reject(from, at, reason));
  }

  async failAttempt({ attemptId, at, reason }: EndAttempt): Promise<AttemptRecord | null> {
    return this.#change(attemptId, at, (from) => fail(from, at, reason));
  }

  async missCompletion(attemptId: AttemptId, at: Ms): Promise<AttemptRecord | null> {
    return this.#change(attemptId, at, (from) => missCompletion(from, at));
  }

  async redeemAttempt(change: RedeemAttempt): Promise<TokenWithUser | null> {
    const { attemptId, tokenDigest, at, token: fields } = change;
    if (!provesAttempt(this.#attempts.get(attemptId) ?? null, tokenDigest)) return null;
    const attempt = this.#change(attemptId, at, (from) => redeem(from, change));
    const user = this.#user(attempt?.userId ?? null);
    if (attempt === null || user === null) return null;
    const { client } = attempt;
    const token = { ...fields, attemptId, userId: user.id, client, revokedAt: null };
    this.#tokens.set(token.tokenId, token);
    this.#tokenOfDigest.set(token.tokenDigest, token.tokenId);
    this.#tokenOfAttempt.set(attemptId, token.tokenId);
    return { token, user };
  }

  async missReplay(attemptId: AttemptId): Promise<void> {
    this.#requireOpen();
    const attempt = this.#attempts.get(attemptId);
    if (attempt === undefined || attempt.redemption === null) return;
    const { misses } = attempt.redemption;
    const redemption = { ...attempt.redemption, misses: misses + 1 };
    this.#attempts.set(attemptId, { ...attempt, redemption });
  }

  async findToken(digest: Digest): Promise<TokenWithUser | null> {
    return this.#withUser(this.#tokenOfDigest.get(digest));
  }

  async findTokenOfAttempt(attemptId: AttemptId): Promise<TokenWithUser | null> {
    return this.#withUser(this.#tokenOfAttempt.get(attemptId));
  }

  async listTokens(userId: UserId, now: Ms): Promise<readonly ApiTokenRecord[]> {
    this.#requireOpen();
    return [...this.#tokens.values()]
      .filter((token) => token.userId === userId && isTokenActive(token, now))
      .toSorted((one, other) => other.createdAt - one.createdAt);
  }

  async revokeToken(tokenId: ApiTokenId, userId: UserId, at: Ms): Promise<boolean> {
    this.#requireOpen();
    const token = this.#tokens.get(tokenId);
    if (token === undefined || token.userId !== userId || !isTokenActive(token, at)) return false;
    this.#tokens.set(tokenId, { ...token, revokedAt: at });
    return true;
  }

  async purge({ expiredBefore, redeemedBefore, limit }: PurgeBounds): Promise<PurgeCounts> {
    this.#requireOpen();
    const attempts = [...this.#attempts.values()]
      .filter((attempt) => expiryOf(attempt) < expiredBefore)
      .slice(0, limit);
    for (const { attemptId } of attempts) this.#attempts.delete(attemptId);
    const tokens = [...this.#tokens.values()]
      .filter(({ expiresAt }) => expiresAt < expiredBefore)
      .slice(0, limit);
    for (const token of tokens) this.#forget(token);
    const seals = this.#eraseSeals(redeemedBefore, limit);
    return { attempts: attempts.length, tokens: tokens.length, seals };
  }

  health(): StoreHealth {
    return this.#isClosed ? { ready: false, reason: 'the store is closed' } : { ready: true };
  }

  async close(): Promise<void> {
    this.#isClosed = true;
  }

  /** The attempt after a transition, or null where the domain refuses it. */
  #change(
    attemptId: AttemptId,
    at: Ms,
    transition: (from: Attempt) => AttemptRecord,
  ): AttemptRecord | null {
    this.#requireOpen();
    const attempt = this.#attempts.get(attemptId);
    if (attempt === undefined) return null;
    try {
      const changed = transition(attemptAt(attempt, at));
      this.#attempts.set(attemptId, changed);
      return changed;
    } catch (error) {
      if (error instanceof Refusal) return null;
      throw error;
    }
  }

  #eraseSeals(redeemedBefore: Ms, limit: number): number {
    const sealed = [...this.#attempts.values()]
      .filter(({ redemption }) => redemption !== null)
      .filter(({ redeemedAt }) => redeemedAt !== null && redeemedAt < redeemedBefore)
      .slice(0, limit);
    for (const attempt of sealed) {
      this.#attempts.set(attempt.attemptId, { ...attempt, redemption: null });
    }
    return sealed.length;
  }

  #userAfter(login: AuthenticateAttempt): User {
    const knownId = this.#userOfPerson.get(personKey(login.person));
    const id = knownId ?? parseUserId(this.#users.size + 1);
    if (id === null) throw new Error('there is no user number left');
    return userAfterLogin(this.#user(id) ?? { id, createdAt: login.at }, login);
  }

  #user(id: UserId | null): User | null {
    return id === null ? null : (this.#users.get(id) ?? null);
  }

  #withUser(tokenId: ApiTokenId | undefined): TokenWithUser | null {
    this.#requireOpen();
    const token = tokenId === undefined ? undefined : this.#tokens.get(tokenId);
    const user = this.#user(token?.userId ?? null);
    return token === undefined || user === null ? null : { token, user };
  }

  #forget({ tokenId, tokenDigest, attemptId }: ApiTokenRecord): void {
    this.#tokens.delete(tokenId);
    this.#tokenOfDigest.delete(tokenDigest);
    this.#tokenOfAttempt.delete(attemptId);
  }

  #requireOpen(): void {
    if (this.#isClosed) throw new Refusal('storage.unavailable');
  }
}

/** JSON keeps the parts apart, whatever characters are in them. */
function personKey({ issuer, documentType, documentNumber }: Person): string {
  return JSON.stringify([issuer, documentType, documentNumber]);
}
