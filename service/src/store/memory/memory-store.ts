import type { ApiTokenId, ApiTokenRecord } from '../../domain/api-token.ts';
import { parseAttemptId, type AttemptId } from '../../domain/attempt-id.ts';
import { attemptAt, expiryOf, fail } from '../../domain/attempt.ts';
import type { AuditVerdict } from '../../domain/audit-chain.ts';
import type { AuditEvent, AuditHead, AuditQuery, AuditRow } from '../../domain/audit.ts';
import type { Digest } from '../../domain/digest.ts';
import type { ProviderCall } from '../../domain/provider-call.ts';
import type { StoreBinding } from '../../domain/store-binding.ts';
import type { Ms } from '../../domain/time.ts';
import type { User, UserId } from '../../domain/user.ts';
import type {
  AuditCut,
  Recovery,
  RecoveryCounts,
  RevocationCounts,
  RevocationScope,
} from '../../ports/store/index.ts';
import type {
  PurgeBounds,
  PurgeCounts,
  Store,
  TokenOwner,
  TokenPage,
  TokenWithUser,
} from '../../ports/store/index.ts';
import { MemoryAttempts } from './memory-attempts.ts';
import { planRecovery } from '../shared/plan-recovery.ts';
import { isInScope, scopeName, scopeValues } from '../shared/revocation-scope.ts';
import { requireBinding } from '../shared/binding-check.ts';

export type { MemoryStoreOptions } from './memory-core.ts';

/**
 * The store in maps. Each method runs in one step of the event loop, so methods can't interleave.
 * Everything is lost when the process ends, so S-1 holds only until then. Nothing is written to a
 * disk, so nothing is sealed.
 */
export class MemoryStore extends MemoryAttempts implements Store {
  #binding: StoreBinding | null = null;

  async findToken(digest: Digest): Promise<TokenWithUser | null> {
    this.requireOpen();
    return this.withUser(this.tokens.ofDigest(digest));
  }

  async findTokenOfAttempt(attemptId: AttemptId): Promise<TokenWithUser | null> {
    this.requireOpen();
    return this.withUser(this.tokens.ofAttempt(attemptId));
  }

  async listTokens(
    owner: TokenOwner,
    page: TokenPage,
    now: Ms,
  ): Promise<readonly ApiTokenRecord[]> {
    this.requireOpen();
    return this.tokens.activeOf(owner, page, now);
  }

  async revokeToken(tokenId: ApiTokenId, owner: TokenOwner, at: Ms): Promise<boolean> {
    this.requireOpen();
    const revoked = this.tokens.revoke(tokenId, owner, at);
    if (revoked === null) return false;
    const { attemptId, client, userId } = revoked;
    this.auditLog.append({ at, action: 'token.revoked', attemptId, userId, client });
    return true;
  }

  async purge({ expiredBefore, redeemedBefore, limit }: PurgeBounds): Promise<PurgeCounts> {
    this.requireOpen();
    const attempts = [...this.attempts.values()]
      .filter((attempt) => expiryOf(attempt) < expiredBefore)
      .slice(0, limit);
    for (const { attemptId } of attempts) {
      this.attempts.delete(attemptId);
      this.transactions.delete(attemptId);
      this.calls.delete(attemptId);
    }
    const tokens = this.tokens.purge(expiredBefore, limit);
    const seals = this.#eraseSeals(redeemedBefore, limit);
    if (this.erasesIdentifiers) this.#eraseIdentifiers(redeemedBefore, limit);
    this.pushes.purge(expiredBefore, limit);
    return { attempts: attempts.length, tokens, seals };
  }

  /** Nothing is sealed. */
  async rotateKeys(): Promise<number> {
    this.requireOpen();
    return 0;
  }

  async bindTo(wish: StoreBinding, at: Ms): Promise<boolean> {
    this.requireOpen();
    const isEmpty = this.attempts.size === 0 && this.users.isEmpty && this.tokens.isEmpty;
    const binds = this.#binding === null && isEmpty;
    if (binds) {
      this.#binding = wish;
      this.auditLog.append({ at, action: 'store.sealed', detail: wish.mode });
    }
    requireBinding(this.#binding, wish);
    return binds;
  }

  async findUser(userId: UserId): Promise<User | null> {
    this.requireOpen();
    return this.users.get(userId);
  }

  async disableUser(userId: UserId, at: Ms): Promise<boolean> {
    this.requireOpen();
    if (this.users.disable(userId, at)) {
      this.auditLog.append({ at, action: 'user.disabled', userId });
    }
    return this.users.get(userId) !== null;
  }

  async enableUser(userId: UserId, at: Ms): Promise<boolean> {
    this.requireOpen();
    if (this.users.enable(userId)) {
      this.auditLog.append({ at, action: 'user.enabled', userId });
    }
    return this.users.get(userId) !== null;
  }

  async revokeAll(at: Ms, scope: RevocationScope): Promise<RevocationCounts> {
    this.requireOpen();
    const unredeemed = [...this.attempts.values()].filter(
      (attempt) => isInScope(scope, attempt) && attemptAt(attempt, at).state === 'authenticated',
    );
    for (const { attemptId } of unredeemed) {
      this.change(attemptId, at, (from) => fail(from, at, 'attempt.failed'));
    }
    const tokens = this.tokens.revokeAll(scope, at);
    const { user_id: userId, client } = scopeValues(scope);
    const what = { userId, client, detail: scopeName(scope), count: tokens };
    this.auditLog.append({ at, action: 'tokens.revoked_all', ...what });
    return { tokens, attempts: unredeemed.length };
  }

  /** Here nothing is sealed. */
  async countLost(): Promise<number> {
    this.requireOpen();
    return 0;
  }

  async forgetLost(): Promise<number> {
    return this.countLost();
  }

  async listDisabled(): Promise<readonly User[]> {
    this.requireOpen();
    return this.users.disabled;
  }

  async lastUserId(): Promise<number> {
    this.requireOpen();
    return this.users.lastId;
  }

  async restore(change: Recovery): Promise<RecoveryCounts> {
    this.requireOpen();
    const { at } = change;
    const states = new Set(['pending', 'authenticated']);
    const open = [...this.attempts.values()].filter((one) => states.has(attemptAt(one, at).state));
    for (const { attemptId } of open) {
      this.change(attemptId, at, (from) => fail(from, at, 'attempt.failed'));
    }
    const tokens = this.tokens.revokeAll('all', at);
    this.auditLog.append({ at, action: 'store.restored', count: tokens });
    this.#eraseSeals(Number.MAX_SAFE_INTEGER, Number.MAX_SAFE_INTEGER);
    const known = change.disabled.map((user) => this.users.ofPerson(user));
    const plan = planRecovery(change, known, this.users.lastId);
    for (const user of plan.toAdd) this.users.keep(user);
    const ids = [...plan.toDisable, ...plan.toAdd.map(({ id }) => id)];
    for (const userId of ids) {
      this.users.enable(userId);
      this.users.disable(userId, at);
      this.auditLog.append({ at, action: 'user.disabled', userId });
    }
    this.users.lastId = plan.lastUserId;
    return { tokens, attempts: open.length, disabled: ids.length };
  }

  async recordCall(call: ProviderCall): Promise<void> {
    this.requireOpen();
    const attemptId = parseAttemptId(call.requestId ?? '');
    if (attemptId !== null && this.attempts.has(attemptId)) this.calls.add(attemptId, call);
  }

  async listCalls(attemptId: AttemptId): Promise<readonly ProviderCall[]> {
    this.requireOpen();
    return this.calls.of(attemptId);
  }

  async recordEvent(event: AuditEvent): Promise<void> {
    this.requireOpen();
    this.auditLog.append(event);
  }

  async knowsAudit(): Promise<boolean> {
    this.requireOpen();
    return true;
  }

  async auditHead(): Promise<AuditHead> {
    this.requireOpen();
    return this.auditLog.head;
  }

  async containsHead(head: AuditHead): Promise<boolean> {
    this.requireOpen();
    return this.auditLog.contains(head);
  }

  async cutAudit(cut: AuditCut): Promise<number> {
    this.requireOpen();
    return this.auditLog.cut(cut);
  }

  async readAudit(query: AuditQuery): Promise<readonly AuditRow[]> {
    this.requireOpen();
    return this.auditLog.read(query);
  }

  async verifyAudit(): Promise<AuditVerdict> {
    this.requireOpen();
    return this.auditLog.verify();
  }

  #eraseIdentifiers(expiredBefore: Ms, limit: number): void {
    const left = [...this.attempts.values()]
      .filter((attempt) => attempt.nationalId !== null && expiryOf(attempt) < expiredBefore)
      .slice(0, limit);
    for (const attempt of left) {
      this.attempts.set(attempt.attemptId, { ...attempt, nationalId: null });
    }
  }

  #eraseSeals(redeemedBefore: Ms, limit: number): number {
    const sealed = [...this.attempts.values()]
      .filter(({ redemption }) => redemption !== null)
      .filter(({ redeemedAt }) => redeemedAt !== null && redeemedAt < redeemedBefore)
      .slice(0, limit);
    for (const attempt of sealed) {
      this.attempts.set(attempt.attemptId, { ...attempt, redemption: null });
    }
    return sealed.length;
  }
}
