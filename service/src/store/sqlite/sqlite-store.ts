import type { ApiTokenId, ApiTokenRecord } from '../../domain/api-token.ts';
import { parseAttemptId, type AttemptId } from '../../domain/attempt-id.ts';
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
import { apiTokenFromRow } from '../sql/rows/attempts.ts';
import { callFromRow } from '../sql/rows/calls.ts';
import { requireBinding } from '../shared/binding-check.ts';
import { planRecovery } from '../shared/plan-recovery.ts';
import { bindingFromRow } from '../sql/rows/binding.ts';
import type { SqlRow } from '../sql/statement.ts';
import { statements } from './statements.generated.ts';
import { userFromRow } from '../sql/rows/users.ts';
import { SqliteAttempts } from './sqlite-attempts.ts';

/** Writes go to the writing thread in groups; reads are answered here, from the last commit. */
export class SqliteStore extends SqliteAttempts implements Store {
  async findToken(digest: Digest): Promise<TokenWithUser | null> {
    return this.read(() =>
      this.#withUser(this.reader.get(statements.selectToken, { token_digest: digest })),
    );
  }

  async findTokenOfAttempt(attemptId: AttemptId): Promise<TokenWithUser | null> {
    return this.read(() =>
      this.#withUser(this.reader.get(statements.selectTokenOfAttempt, { attempt_id: attemptId })),
    );
  }

  async listTokens(
    { userId, client }: TokenOwner,
    { after, limit }: TokenPage,
    now: Ms,
  ): Promise<readonly ApiTokenRecord[]> {
    const values = { user_id: userId, client, after, limit, at: now };
    return this.read(() =>
      this.reader.all(statements.selectActiveTokens, values).map((row) => apiTokenFromRow(row)),
    );
  }

  async revokeToken(tokenId: ApiTokenId, owner: TokenOwner, at: Ms): Promise<boolean> {
    const [revoked] = await this.change(this.units.revokeToken(tokenId, owner, at));
    return revoked !== undefined;
  }

  async purge(bounds: PurgeBounds): Promise<PurgeCounts> {
    const results = await this.submit(this.units.purge(bounds));
    const [attempts = 0, tokens = 0, seals = 0] = results.map(({ changes }) => changes);
    return { attempts, tokens, seals };
  }

  async rotateKeys(limit: number, at: Ms): Promise<number> {
    const users = this.read(() =>
      this.#sealedBefore(limit).map((row) => {
        const sealedBefore = String(row['national_id']);
        return { user: userFromRow(row, this.identities), sealedBefore };
      }),
    );
    if (users.length > 0) await this.submit(this.units.resealUsers(users, at));
    return users.length;
  }

  async countLost(): Promise<number> {
    const { knownKeys } = this.identities;
    if (knownKeys === null) return 0;
    const known = { known_keys: JSON.stringify(knownKeys) };
    return this.read(() => Number(this.reader.get(statements.countLost, known)?.['lost'] ?? 0));
  }

  async forgetLost(at: Ms): Promise<number> {
    const lost = await this.countLost();
    const { knownKeys } = this.identities;
    if (lost > 0 && knownKeys !== null) {
      await this.submit(this.units.forgetLost(knownKeys, lost, at));
    }
    return lost;
  }

  async bindTo(wish: StoreBinding, at: Ms): Promise<boolean> {
    const [bound] = await this.change(this.units.bindTo(wish, at));
    const found = this.read(() => this.reader.get(statements.selectBinding, {}));
    requireBinding(found === null ? null : bindingFromRow(found), wish);
    return bound !== undefined;
  }

  async findUser(userId: UserId): Promise<User | null> {
    return this.read(() => {
      const row = this.reader.get(statements.selectUser, { id: userId });
      return row === null ? null : userFromRow(row, this.identities);
    });
  }

  async disableUser(userId: UserId, at: Ms): Promise<boolean> {
    const [user] = await this.change(this.units.disableUser(userId, at));
    return user !== undefined;
  }

  async enableUser(userId: UserId, at: Ms): Promise<boolean> {
    const [user] = await this.change(this.units.enableUser(userId, at));
    return user !== undefined;
  }

  async revokeAll(at: Ms, scope: RevocationScope): Promise<RevocationCounts> {
    const results = await this.submit(this.units.revokeAll(at, scope));
    const [attempts = 0, tokens = 0] = results.map(({ changes }) => changes);
    return { tokens, attempts };
  }

  async listDisabled(): Promise<readonly User[]> {
    return this.read(() =>
      this.reader
        .all(statements.selectDisabled, {})
        .map((row) => userFromRow(row, this.identities)),
    );
  }

  async lastUserId(): Promise<number> {
    return this.read(() => Number(this.reader.get(statements.selectLastUserId, {})?.['seq'] ?? 0));
  }

  async restore(change: Recovery): Promise<RecoveryCounts> {
    const found = await Promise.all(change.disabled.map((user) => this.findPerson(user)));
    const own = await this.lastUserId();
    const plan = planRecovery(change, found, own);
    const results = await this.submit(this.units.recover(plan));
    const [attempts = 0, tokens = 0] = results.map(({ changes }) => changes);
    return { tokens, attempts, disabled: plan.toDisable.length + plan.toAdd.length };
  }

  async recordCall(call: ProviderCall): Promise<void> {
    const attemptId = parseAttemptId(call.requestId ?? '');
    if (attemptId !== null) await this.submit(this.units.recordCall(attemptId, call));
  }

  async listCalls(attemptId: AttemptId): Promise<readonly ProviderCall[]> {
    return this.read(() =>
      this.reader
        .all(statements.selectCalls, { attempt_id: attemptId })
        .map((row) => callFromRow(row)),
    );
  }

  async recordEvent(event: AuditEvent): Promise<void> {
    await this.submit(this.units.recordEvent(event));
  }

  async knowsAudit(): Promise<boolean> {
    return this.read(() => this.auditLog.knowsLast());
  }

  async auditHead(): Promise<AuditHead> {
    return this.read(() => this.auditLog.head());
  }

  async containsHead(head: AuditHead): Promise<boolean> {
    return this.read(() => this.auditLog.contains(head));
  }

  async cutAudit(cut: AuditCut): Promise<number> {
    const [moved, deleted] = await this.submit(this.units.cutAudit(cut));
    return moved?.rows[0] === undefined ? 0 : (deleted?.changes ?? 0);
  }

  async readAudit(query: AuditQuery): Promise<readonly AuditRow[]> {
    return this.read(() => this.auditLog.rows(query));
  }

  async verifyAudit(pause?: () => Promise<void>): Promise<AuditVerdict> {
    const walk = this.auditLog.walk();
    for (;;) {
      const verdict = this.read(() => walk.next().value ?? null);
      if (verdict !== null) return verdict;
      await pause?.();
    }
  }

  /** Users that are sealed with an earlier key. */
  #sealedBefore(limit: number): readonly SqlRow[] {
    const rows: SqlRow[] = [];
    for (const vault_key of this.identities.retiredKeys) {
      const left = { vault_key, limit: limit - rows.length };
      rows.push(...this.reader.all(statements.selectUsersUnderKey, left));
    }
    return rows;
  }

  #withUser(row: SqlRow | null): TokenWithUser | null {
    if (row === null) return null;
    const token = apiTokenFromRow(row);
    return { token, user: this.user(token.userId) };
  }
}
