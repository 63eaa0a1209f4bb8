import type { AttemptId } from '../../domain/attempt-id.ts';
import type { AttemptRecord } from '../../domain/attempt.ts';
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
import { apiTokenFromRow } from '../sql/rows/attempts.ts';
import type { SqlRow } from '../sql/statement.ts';
import { statements } from './statements.generated.ts';
import { completedFromRow, transactionFromRow } from '../sql/rows/transactions.ts';
import { loginRows } from '../units.ts';
import { userFromRow } from '../sql/rows/users.ts';
import { SqliteCore } from './sqlite-core.ts';

/** Attempts, their transactions with a provider, and the pushes. */
export class SqliteAttempts extends SqliteCore {
  async insertAttempt(attempt: AttemptRecord): Promise<void> {
    await this.submit(this.units.insertAttempt(attempt));
  }

  async findAttempt(attemptId: AttemptId): Promise<AttemptWithUser | null> {
    return this.read(() =>
      this.#attemptWithUser(this.reader.get(statements.selectAttempt, { attempt_id: attemptId })),
    );
  }

  async findProvenAttempt(
    attemptId: AttemptId,
    tokenDigest: Digest,
  ): Promise<AttemptWithUser | null> {
    const proof = { attempt_id: attemptId, token_digest: tokenDigest };
    return this.read(() =>
      this.#attemptWithUser(this.reader.get(statements.selectProvenAttempt, proof)),
    );
  }

  async authenticateAttempt(change: AuthenticateAttempt): Promise<AttemptWithUser | null> {
    const rows = await this.change(this.units.authenticateAttempt(change));
    const { user, attempt } = loginRows(rows, change);
    if (user === undefined || attempt === undefined) return null;
    return { attempt: this.attempt(attempt), user: userFromRow(user, this.identities) };
  }

  rejectAttempt(change: EndAttempt): Promise<AttemptRecord | null> {
    return this.changeAttempt(this.units.rejectAttempt(change));
  }

  failAttempt(change: EndAttempt): Promise<AttemptRecord | null> {
    return this.changeAttempt(this.units.failAttempt(change));
  }

  countWrongCode(attemptId: AttemptId, at: Ms): Promise<AttemptRecord | null> {
    return this.changeAttempt(this.units.countWrongCode(attemptId, at));
  }

  async redeemAttempt(change: RedeemAttempt): Promise<TokenWithUser | null> {
    const [token, , user] = await this.change(this.units.redeemAttempt(change));
    if (token === undefined || user === undefined) return null;
    return { token: apiTokenFromRow(token), user: userFromRow(user, this.identities) };
  }

  async findPerson(person: PersonKey): Promise<User | null> {
    const digests = [this.identities.digestOf(person), ...this.identities.retiredDigestsOf(person)];
    return this.read(() => {
      for (const identity_digest of digests) {
        const row = this.reader.get(statements.selectPerson, { identity_digest });
        if (row !== null) return userFromRow(row, this.identities);
      }
      return null;
    });
  }

  async missReplay(attemptId: AttemptId): Promise<void> {
    await this.submit(this.units.missReplay(attemptId));
  }

  async openTransaction(change: OpenTransaction): Promise<AttemptRecord | null> {
    const [, row] = await this.change(this.units.openTransaction(change));
    return row === undefined ? null : this.attempt(row);
  }

  async findTransaction(attemptId: AttemptId): Promise<AttemptWithTransaction | null> {
    return this.read(() =>
      this.#withTransaction(
        this.reader.get(statements.selectTransaction, { attempt_id: attemptId }),
      ),
    );
  }

  async findByState(stateDigest: string): Promise<AttemptWithTransaction | null> {
    return this.read(() =>
      this.#withTransaction(
        this.reader.get(statements.selectTransactionByState, { state_digest: stateDigest }),
      ),
    );
  }

  async bindBrowser(attemptId: AttemptId, browserDigest: Digest, at: Ms): Promise<boolean> {
    const [bound] = await this.change(this.units.bindBrowser(attemptId, browserDigest, at));
    return bound !== undefined;
  }

  async replaceSession(change: ReplaceSession): Promise<boolean> {
    const [replaced] = await this.change(this.units.replaceSession(change));
    return replaced !== undefined;
  }

  async spoilAttempt(attemptId: AttemptId, at: Ms): Promise<boolean> {
    const [spoiled] = await this.change(this.units.spoilAttempt(attemptId, at));
    return spoiled !== undefined;
  }

  rotateCompletion(change: RotateCompletion): Promise<AttemptRecord | null> {
    return this.changeAttempt(this.units.rotateCompletion(change));
  }

  async expirePush(attemptId: AttemptId, at: Ms): Promise<boolean> {
    const [expired] = await this.change(this.units.expirePush(attemptId, at));
    return expired !== undefined;
  }

  async recordApprovalSeen(attemptId: AttemptId, at: Ms): Promise<Ms | null> {
    const [row] = await this.change(this.units.recordApprovalSeen(attemptId, at));
    return row === undefined ? null : completedFromRow(row);
  }

  async admitPush(wish: PushWish): Promise<boolean> {
    const [admitted] = await this.change(this.units.admitPush(wish));
    return admitted !== undefined;
  }

  async withdrawPush(attemptId: AttemptId, personDigest: Digest): Promise<void> {
    await this.submit(this.units.withdrawPush(attemptId, personDigest));
  }

  #withTransaction(row: SqlRow | null): AttemptWithTransaction | null {
    if (row === null) return null;
    const transaction = transactionFromRow(row, this.identities);
    return { attempt: this.attempt(row), transaction };
  }

  /** The tables' constraints prevent deleting users that a row refers to. */
  #attemptWithUser(row: SqlRow | null): AttemptWithUser | null {
    if (row === null) return null;
    const attempt = this.attempt(row);
    return { attempt, user: attempt.userId === null ? null : this.user(attempt.userId) };
  }
}
