import type { AttemptId } from '../../domain/attempt-id.ts';
import {
  authenticate,
  fail,
  countWrongCode,
  provesAttempt,
  redeem,
  reject,
  type AttemptRecord,
} from '../../domain/attempt.ts';
import type { Digest } from '../../domain/digest.ts';
import type { Ms } from '../../domain/time.ts';
import type { PersonKey, User } from '../../domain/user.ts';
import type {
  AttemptWithTransaction,
  AttemptWithUser,
  AuthenticateAttempt,
  EndAttempt,
  OpenTransaction,
  PushWish,
  RedeemAttempt,
  ReplaceSession,
  RotateCompletion,
  TokenWithUser,
} from '../../ports/store/index.ts';
import { MemoryCore } from './memory-core.ts';
import { StatementError } from '../store-fault.ts';

/** Attempts, their transactions with a provider, and the pushes. */
export class MemoryAttempts extends MemoryCore {
  async insertAttempt(attempt: AttemptRecord): Promise<void> {
    this.requireOpen();
    if (this.attempts.has(attempt.attemptId)) throw new StatementError('the attempt id exists');
    this.attempts.set(attempt.attemptId, attempt);
  }

  async findAttempt(attemptId: AttemptId): Promise<AttemptWithUser | null> {
    this.requireOpen();
    const attempt = this.attempts.get(attemptId);
    return attempt === undefined ? null : { attempt, user: this.users.get(attempt.userId) };
  }

  async findProvenAttempt(attemptId: AttemptId, digest: Digest): Promise<AttemptWithUser | null> {
    const found = await this.findAttempt(attemptId);
    return provesAttempt(found?.attempt ?? null, digest) ? found : null;
  }

  async authenticateAttempt(change: AuthenticateAttempt): Promise<AttemptWithUser | null> {
    this.requireOpen();
    if (this.transactions.isSpoiled(change.attemptId)) return null;
    const user = this.users.after(change);
    const attempt = this.change(change.attemptId, change.at, (from) =>
      authenticate(from, { ...change, userId: user.id }),
    );
    if (attempt === null) return null;
    this.users.keep(user);
    this.transactions.eraseLaunchUrl(change.attemptId);
    if (change.pushesOf !== null) this.pushes.forget(change.pushesOf);
    this.audited('attempt.authenticated', change.at, attempt);
    return { attempt, user };
  }

  async rejectAttempt({ attemptId, at, reason }: EndAttempt): Promise<AttemptRecord | null> {
    const rejected = this.change(attemptId, at, (from) => reject(from, at, reason));
    return this.audited('attempt.rejected', at, rejected);
  }

  async failAttempt({ attemptId, at, reason }: EndAttempt): Promise<AttemptRecord | null> {
    const failed = this.change(attemptId, at, (from) => fail(from, at, reason));
    return this.audited('attempt.failed', at, failed);
  }

  async countWrongCode(attemptId: AttemptId, at: Ms): Promise<AttemptRecord | null> {
    const counted = this.change(attemptId, at, (from) => countWrongCode(from, at));
    return this.audited('attempt.completion_missed', at, counted);
  }

  async redeemAttempt(change: RedeemAttempt): Promise<TokenWithUser | null> {
    const { attemptId, tokenDigest, at, token: fields } = change;
    if (!provesAttempt(this.attempts.get(attemptId) ?? null, tokenDigest)) return null;
    const user = this.users.get(this.attempts.get(attemptId)?.userId ?? null);
    if (user === null || user.disabledAt !== null) return null;
    const attempt = this.change(attemptId, at, (from) => redeem(from, change));
    if (attempt === null) return null;
    const { client } = attempt;
    const token = { ...fields, attemptId, userId: user.id, client, revokedAt: null };
    this.tokens.add(token);
    this.audited('token.issued', at, attempt);
    return { token, user };
  }

  async findPerson(person: PersonKey): Promise<User | null> {
    this.requireOpen();
    return this.users.ofPerson(person);
  }

  async missReplay(attemptId: AttemptId): Promise<void> {
    this.requireOpen();
    const attempt = this.attempts.get(attemptId);
    if (attempt === undefined || attempt.redemption === null) return;
    const { misses } = attempt.redemption;
    const redemption = { ...attempt.redemption, misses: misses + 1 };
    this.attempts.set(attemptId, { ...attempt, redemption });
  }

  async openTransaction(change: OpenTransaction): Promise<AttemptRecord | null> {
    const { attemptId, at, transaction, bindingCode, providerExpiresAt } = change;
    const attempt = this.attemptIn('pending', attemptId, at);
    if (attempt === null || this.transactions.has(attemptId)) return null;
    this.transactions.add(attemptId, transaction);
    const opened = { ...attempt, bindingCode, providerExpiresAt };
    this.attempts.set(attemptId, opened);
    return opened;
  }

  async findTransaction(attemptId: AttemptId): Promise<AttemptWithTransaction | null> {
    this.requireOpen();
    const attempt = this.attempts.get(attemptId);
    const transaction = this.transactions.get(attemptId);
    return attempt === undefined || transaction === null ? null : { attempt, transaction };
  }

  async findByState(stateDigest: string): Promise<AttemptWithTransaction | null> {
    const attemptId = this.transactions.ofState(stateDigest);
    return attemptId === null ? null : this.findTransaction(attemptId);
  }

  async bindBrowser(attemptId: AttemptId, browserDigest: Digest, at: Ms): Promise<boolean> {
    if (this.attemptIn('pending', attemptId, at) === null) return false;
    return this.transactions.bindBrowser(attemptId, browserDigest);
  }

  async replaceSession(change: ReplaceSession): Promise<boolean> {
    if (this.attemptIn('pending', change.attemptId, change.at) === null) return false;
    return this.transactions.replaceSession(change);
  }

  async spoilAttempt(attemptId: AttemptId, at: Ms): Promise<boolean> {
    const authenticated = this.attemptIn('authenticated', attemptId, at);
    const open = authenticated ?? this.attemptIn('pending', attemptId, at);
    if (open === null || !this.transactions.spoil(attemptId, at)) return false;
    const reason = 'callback.browser_mismatch';
    const failed = this.change(attemptId, at, (from) =>
      authenticated === null ? from.record : fail(from, at, reason),
    );
    this.audited('attempt.spoiled', at, failed);
    return true;
  }

  async rotateCompletion(change: RotateCompletion): Promise<AttemptRecord | null> {
    const attempt = this.attemptIn('authenticated', change.attemptId, change.at);
    if (attempt === null) return null;
    const { digest: completionDigest, expiresAt: completionExpiresAt } = change.completion;
    const rotated = { ...attempt, completionDigest, completionExpiresAt };
    this.attempts.set(change.attemptId, rotated);
    return rotated;
  }

  async expirePush(attemptId: AttemptId, at: Ms): Promise<boolean> {
    const attempt = this.attemptIn('pending', attemptId, at);
    if (attempt === null || this.transactions.get(attemptId)?.kind !== 'push') return false;
    this.attempts.set(attemptId, { ...attempt, providerExpiresAt: at });
    return true;
  }

  async recordApprovalSeen(attemptId: AttemptId, at: Ms): Promise<Ms | null> {
    if (this.attemptIn('pending', attemptId, at) === null) return null;
    return this.transactions.recordApprovalSeen(attemptId, at);
  }

  async admitPush(wish: PushWish): Promise<boolean> {
    this.requireOpen();
    const isAdmitted = this.pushes.admit(wish, this.attempts);
    if (isAdmitted) this.auditLog.append({ ...wish, action: 'push.admitted' });
    return isAdmitted;
  }

  async withdrawPush(attemptId: AttemptId): Promise<void> {
    this.requireOpen();
    this.pushes.withdraw(attemptId);
  }
}
