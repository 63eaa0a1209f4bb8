import type { ApiTokenId, ApiTokenRecord } from '../domain/api-token.ts';
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
import type { UserId } from '../domain/user.ts';
import type {
  AttemptWithTransaction,
  AttemptWithUser,
  AuthenticateAttempt,
  EndAttempt,
  OpenTransaction,
  PurgeBounds,
  PurgeCounts,
  PushWish,
  RedeemAttempt,
  RotateCompletion,
  Store,
  StoreHealth,
  TokenWithUser,
} from '../ports/store.ts';
import { MemoryPushes } from './memory-pushes.ts';
import { MemoryTokens } from './memory-tokens.ts';
import { MemoryTransactions } from './memory-transactions.ts';
import { MemoryUsers } from './memory-users.ts';
import { StatementError } from './store-fault.ts';

export interface MemoryStoreOptions {
  /** As a store with a vault does: a requested identifier goes when its attempt ends. */
  readonly erasesIdentifiers: boolean;
}

/**
 * The port over maps. Each method is one step of the event loop, so nothing can come in between;
 * and forgets everything with the process, so S-1 holds only as far as that. Nothing is at rest
 * here, so that there is nothing to seal.
 */
export class MemoryStore implements Store {
  readonly #attempts = new Map<AttemptId, AttemptRecord>();
  readonly #users = new MemoryUsers();
  readonly #tokens = new MemoryTokens();
  readonly #transactions = new MemoryTransactions();
  readonly #pushes = new MemoryPushes();
  readonly #erasesIdentifiers: boolean;
  #isClosed = false;

  constructor({ erasesIdentifiers }: MemoryStoreOptions = { erasesIdentifiers: false }) {
    this.#erasesIdentifiers = erasesIdentifiers;
  }

  async insertAttempt(attempt: AttemptRecord): Promise<void> {
    this.#requireOpen();
    if (this.#attempts.has(attempt.attemptId)) throw new StatementError('the attempt id exists');
    this.#attempts.set(attempt.attemptId, attempt);
  }

  async findAttempt(attemptId: AttemptId): Promise<AttemptWithUser | null> {
    this.#requireOpen();
    const attempt = this.#attempts.get(attemptId);
    return attempt === undefined ? null : { attempt, user: this.#users.get(attempt.userId) };
  }

  async findProvenAttempt(attemptId: AttemptId, digest: Digest): Promise<AttemptWithUser | null> {
    const found = await this.findAttempt(attemptId);
    return provesAttempt(found?.attempt ?? null, digest) ? found : null;
  }

  async authenticateAttempt(change: AuthenticateAttempt): Promise<AttemptWithUser | null> {
    const user = this.#users.after(change);
    const attempt = this.#change(change.attemptId, change.at, (from) =>
      authenticate(from, { ...change, userId: user.id }),
    );
    if (attempt === null) return null;
    this.#users.keep(user);
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
    const user = this.#users.get(attempt?.userId ?? null);
    if (attempt === null || user === null) return null;
    const { client } = attempt;
    const token = { ...fields, attemptId, userId: user.id, client, revokedAt: null };
    this.#tokens.add(token);
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

  async openTransaction(change: OpenTransaction): Promise<AttemptRecord | null> {
    const { attemptId, at, transaction, bindingCode, providerExpiresAt } = change;
    const attempt = this.#in('pending', attemptId, at);
    if (attempt === null || this.#transactions.has(attemptId)) return null;
    this.#transactions.add(attemptId, transaction);
    const opened = { ...attempt, bindingCode, providerExpiresAt };
    this.#attempts.set(attemptId, opened);
    return opened;
  }

  async findTransaction(attemptId: AttemptId): Promise<AttemptWithTransaction | null> {
    this.#requireOpen();
    const attempt = this.#attempts.get(attemptId);
    const transaction = this.#transactions.get(attemptId);
    return attempt === undefined || transaction === null ? null : { attempt, transaction };
  }

  async findByState(stateDigest: string): Promise<AttemptWithTransaction | null> {
    const attemptId = this.#transactions.ofState(stateDigest);
    return attemptId === null ? null : this.findTransaction(attemptId);
  }

  async bindBrowser(attemptId: AttemptId, browserDigest: Digest, at: Ms): Promise<boolean> {
    if (this.#in('pending', attemptId, at) === null) return false;
    return this.#transactions.bindBrowser(attemptId, browserDigest);
  }

  async eraseLaunchUrl(attemptId: AttemptId): Promise<void> {
    this.#requireOpen();
    this.#transactions.eraseLaunchUrl(attemptId);
  }

  async rotateCompletion(change: RotateCompletion): Promise<AttemptRecord | null> {
    const attempt = this.#in('authenticated', change.attemptId, change.at);
    if (attempt === null) return null;
    const { digest: completionDigest, expiresAt: completionExpiresAt } = change.completion;
    const rotated = { ...attempt, completionDigest, completionExpiresAt };
    this.#attempts.set(change.attemptId, rotated);
    return rotated;
  }

  async seeCompleted(attemptId: AttemptId, at: Ms): Promise<Ms | null> {
    if (this.#in('pending', attemptId, at) === null) return null;
    return this.#transactions.seeCompleted(attemptId, at);
  }

  async admitPush(wish: PushWish): Promise<boolean> {
    this.#requireOpen();
    return this.#pushes.admit(wish, this.#attempts);
  }

  async forgetPushes(personDigest: Digest): Promise<void> {
    this.#requireOpen();
    this.#pushes.forget(personDigest);
  }

  async findToken(digest: Digest): Promise<TokenWithUser | null> {
    this.#requireOpen();
    return this.#withUser(this.#tokens.ofDigest(digest));
  }

  async findTokenOfAttempt(attemptId: AttemptId): Promise<TokenWithUser | null> {
    this.#requireOpen();
    return this.#withUser(this.#tokens.ofAttempt(attemptId));
  }

  async listTokens(userId: UserId, now: Ms): Promise<readonly ApiTokenRecord[]> {
    this.#requireOpen();
    return this.#tokens.activeOf(userId, now);
  }

  async revokeToken(tokenId: ApiTokenId, userId: UserId, at: Ms): Promise<boolean> {
    this.#requireOpen();
    return this.#tokens.revoke(tokenId, userId, at);
  }

  async purge({ expiredBefore, redeemedBefore, limit }: PurgeBounds): Promise<PurgeCounts> {
    this.#requireOpen();
    const attempts = [...this.#attempts.values()]
      .filter((attempt) => expiryOf(attempt) < expiredBefore)
      .slice(0, limit);
    for (const { attemptId } of attempts) {
      this.#attempts.delete(attemptId);
      this.#transactions.delete(attemptId);
    }
    const tokens = this.#tokens.purge(expiredBefore, limit);
    const seals = this.#eraseSeals(redeemedBefore, limit);
    if (this.#erasesIdentifiers) this.#eraseIdentifiers(redeemedBefore, limit);
    this.#pushes.purge(expiredBefore, limit);
    return { attempts: attempts.length, tokens, seals };
  }

  /** Nothing is sealed. */
  async rotateKeys(): Promise<number> {
    this.#requireOpen();
    return 0;
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
      const ends = endsOf(changed).some((end, index) => end !== endsOf(attempt)[index]);
      const nationalId = ends && this.#erasesIdentifiers ? null : changed.nationalId;
      const kept = { ...changed, nationalId };
      this.#attempts.set(attemptId, kept);
      return kept;
    } catch (error) {
      if (error instanceof Refusal) return null;
      throw error;
    }
  }

  /** The attempt when it is in that state at that moment. */
  #in(state: Attempt['state'], attemptId: AttemptId, at: Ms): AttemptRecord | null {
    this.#requireOpen();
    const attempt = this.#attempts.get(attemptId);
    return attempt !== undefined && attemptAt(attempt, at).state === state ? attempt : null;
  }

  #eraseIdentifiers(expiredBefore: Ms, limit: number): void {
    const left = [...this.#attempts.values()]
      .filter((attempt) => attempt.nationalId !== null && expiryOf(attempt) < expiredBefore)
      .slice(0, limit);
    for (const attempt of left) {
      this.#attempts.set(attempt.attemptId, { ...attempt, nationalId: null });
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

  #withUser(token: ApiTokenRecord | null): TokenWithUser | null {
    const user = this.#users.get(token?.userId ?? null);
    return token === null || user === null ? null : { token, user };
  }

  #requireOpen(): void {
    if (this.#isClosed) throw new Refusal('storage.unavailable');
  }
}

function endsOf({ authenticatedAt, rejectedAt, failedAt }: AttemptRecord) {
  return [authenticatedAt, rejectedAt, failedAt];
}
