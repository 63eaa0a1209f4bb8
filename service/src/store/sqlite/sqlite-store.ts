import type { ApiTokenId, ApiTokenRecord } from '../../domain/api-token.ts';
import type { AttemptId } from '../../domain/attempt-id.ts';
import type { AttemptRecord } from '../../domain/attempt.ts';
import type { Digest } from '../../domain/digest.ts';
import { Refusal } from '../../domain/errors/refusal.ts';
import type { Ms } from '../../domain/time.ts';
import type { User, UserId } from '../../domain/user.ts';
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
} from '../../ports/store.ts';
import type { GroupCommit } from '../group-commit.ts';
import type { Identities } from '../identities.ts';
import { apiTokenFromRow, attemptFromRow } from '../rows.ts';
import type { StepResult, SqlRow, Unit } from '../statement.ts';
import { statements } from '../statements.generated.ts';
import { completedFromRow, transactionFromRow } from '../transaction-rows.ts';
import { unitsOf } from '../units.ts';
import { userFromRow } from '../user-rows.ts';
import type { CommitThread } from './commit-thread.ts';
import { isResult, RESULT } from './result-codes.ts';
import type { SqliteReader } from './sqlite-reader.ts';
import { faultOf } from './writer.ts';

export interface SqliteParts {
  readonly reader: SqliteReader;
  readonly thread: CommitThread;
  readonly writes: GroupCommit;
  readonly identities: Identities;
}

/** Writes go to the writing thread in groups; reads are answered here, from the last commit. */
export class SqliteStore implements Store {
  readonly #reader: SqliteReader;
  readonly #thread: CommitThread;
  readonly #writes: GroupCommit;
  readonly #identities: Identities;
  readonly #units: ReturnType<typeof unitsOf>;
  #closing: Promise<void> | null = null;

  constructor({ reader, thread, writes, identities }: SqliteParts) {
    this.#reader = reader;
    this.#thread = thread;
    this.#writes = writes;
    this.#identities = identities;
    this.#units = unitsOf(statements, identities);
  }

  async insertAttempt(attempt: AttemptRecord): Promise<void> {
    await this.#writes.submit(this.#units.insertAttempt(attempt));
  }

  async findAttempt(attemptId: AttemptId): Promise<AttemptWithUser | null> {
    return this.#read(() =>
      this.#attemptWithUser(this.#reader.get(statements.selectAttempt, { attempt_id: attemptId })),
    );
  }

  async findProvenAttempt(
    attemptId: AttemptId,
    tokenDigest: Digest,
  ): Promise<AttemptWithUser | null> {
    const proof = { attempt_id: attemptId, token_digest: tokenDigest };
    return this.#read(() =>
      this.#attemptWithUser(this.#reader.get(statements.selectProvenAttempt, proof)),
    );
  }

  async authenticateAttempt(change: AuthenticateAttempt): Promise<AttemptWithUser | null> {
    const rows = await this.#change(this.#units.authenticateAttempt(change));
    const [user, attempt] = rows.slice(-2);
    if (user === undefined || attempt === undefined) return null;
    return { attempt: this.#attempt(attempt), user: userFromRow(user, this.#identities) };
  }

  rejectAttempt(change: EndAttempt): Promise<AttemptRecord | null> {
    return this.#changeAttempt(this.#units.rejectAttempt(change));
  }

  failAttempt(change: EndAttempt): Promise<AttemptRecord | null> {
    return this.#changeAttempt(this.#units.failAttempt(change));
  }

  missCompletion(attemptId: AttemptId, at: Ms): Promise<AttemptRecord | null> {
    return this.#changeAttempt(this.#units.missCompletion(attemptId, at));
  }

  async redeemAttempt(change: RedeemAttempt): Promise<TokenWithUser | null> {
    const [token, , user] = await this.#change(this.#units.redeemAttempt(change));
    if (token === undefined || user === undefined) return null;
    return { token: apiTokenFromRow(token), user: userFromRow(user, this.#identities) };
  }

  async missReplay(attemptId: AttemptId): Promise<void> {
    await this.#writes.submit(this.#units.missReplay(attemptId));
  }

  async openTransaction(change: OpenTransaction): Promise<AttemptRecord | null> {
    const [, row] = await this.#change(this.#units.openTransaction(change));
    return row === undefined ? null : this.#attempt(row);
  }

  async findTransaction(attemptId: AttemptId): Promise<AttemptWithTransaction | null> {
    return this.#read(() =>
      this.#withTransaction(
        this.#reader.get(statements.selectTransaction, { attempt_id: attemptId }),
      ),
    );
  }

  async findByState(stateDigest: string): Promise<AttemptWithTransaction | null> {
    return this.#read(() =>
      this.#withTransaction(
        this.#reader.get(statements.selectTransactionByState, { state_digest: stateDigest }),
      ),
    );
  }

  async bindBrowser(attemptId: AttemptId, browserDigest: Digest, at: Ms): Promise<boolean> {
    const [bound] = await this.#change(this.#units.bindBrowser(attemptId, browserDigest, at));
    return bound !== undefined;
  }

  async eraseLaunchUrl(attemptId: AttemptId): Promise<void> {
    await this.#writes.submit(this.#units.eraseLaunchUrl(attemptId));
  }

  rotateCompletion(change: RotateCompletion): Promise<AttemptRecord | null> {
    return this.#changeAttempt(this.#units.rotateCompletion(change));
  }

  async seeCompleted(attemptId: AttemptId, at: Ms): Promise<Ms | null> {
    const [row] = await this.#change(this.#units.seeCompleted(attemptId, at));
    return row === undefined ? null : completedFromRow(row);
  }

  async admitPush(wish: PushWish): Promise<boolean> {
    const [admitted] = await this.#change(this.#units.admitPush(wish));
    return admitted !== undefined;
  }

  async forgetPushes(personDigest: Digest): Promise<void> {
    await this.#writes.submit(this.#units.forgetPushes(personDigest));
  }

  async findToken(digest: Digest): Promise<TokenWithUser | null> {
    return this.#read(() =>
      this.#withUser(this.#reader.get(statements.selectToken, { token_digest: digest })),
    );
  }

  async findTokenOfAttempt(attemptId: AttemptId): Promise<TokenWithUser | null> {
    return this.#read(() =>
      this.#withUser(this.#reader.get(statements.selectTokenOfAttempt, { attempt_id: attemptId })),
    );
  }

  async listTokens(userId: UserId, now: Ms): Promise<readonly ApiTokenRecord[]> {
    return this.#read(() =>
      this.#reader
        .all(statements.selectActiveTokens, { user_id: userId, at: now })
        .map((row) => apiTokenFromRow(row)),
    );
  }

  async revokeToken(tokenId: ApiTokenId, userId: UserId, at: Ms): Promise<boolean> {
    const [revoked] = await this.#writes.submit(this.#units.revokeToken(tokenId, userId, at));
    return revoked?.changes === 1;
  }

  async purge(bounds: PurgeBounds): Promise<PurgeCounts> {
    const results = await this.#writes.submit(this.#units.purge(bounds));
    const [attempts = 0, tokens = 0, seals = 0] = results.map(({ changes }) => changes);
    return { attempts, tokens, seals };
  }

  async rotateKeys(limit: number): Promise<number> {
    const rows = this.#read(() => this.#sealedBefore(limit));
    const reseals = rows.map((row) =>
      this.#units.resealUser(userFromRow(row, this.#identities), String(row['national_id'])),
    );
    await Promise.all(reseals.map((unit) => this.#writes.submit(unit)));
    return rows.length;
  }

  health(): StoreHealth {
    const reason = this.#writes.poison ?? (this.#closing === null ? null : 'the store is closed');
    return reason === null ? { ready: true } : { ready: false, reason };
  }

  close(): Promise<void> {
    this.#closing ??= this.#shutDown();
    return this.#closing;
  }

  /**
   * The reader stays open until the log is safely in the database file: the last one to close a
   * file would flush it once more, and delete the log whether or not that worked.
   */
  async #shutDown(): Promise<void> {
    await this.#writes.close();
    if (this.#writes.poison === null) await this.#thread.flush();
    this.#reader.close();
    await (this.#writes.poison === null ? this.#thread.release() : this.#thread.abandon());
  }

  /** The first row of each step, as far as the guards let it come. */
  async #change(unit: Unit): Promise<(SqlRow | undefined)[]> {
    const results = await this.#writes.submit(unit);
    return results.map(({ rows }: StepResult) => rows[0]);
  }

  async #changeAttempt(unit: Unit): Promise<AttemptRecord | null> {
    const [row] = await this.#change(unit);
    return row === undefined ? null : this.#attempt(row);
  }

  #attempt(row: SqlRow): AttemptRecord {
    return attemptFromRow(row, this.#identities);
  }

  #withTransaction(row: SqlRow | null): AttemptWithTransaction | null {
    if (row === null) return null;
    const transaction = transactionFromRow(row, this.#identities);
    return { attempt: this.#attempt(row), transaction };
  }

  /** Users that are sealed with an earlier key. */
  #sealedBefore(limit: number): readonly SqlRow[] {
    const rows: SqlRow[] = [];
    for (const vault_key of this.#identities.retiredKeys) {
      const left = { vault_key, limit: limit - rows.length };
      rows.push(...this.#reader.all(statements.selectUsersUnderKey, left));
    }
    return rows;
  }

  #read<Result>(read: () => Result): Result {
    if (!this.#reader.isOpen) throw new Refusal('storage.unavailable');
    try {
      return read();
    } catch (error) {
      const fault = faultOf(error);
      if (fault.code === null) throw error;
      if (isResult(fault.code, RESULT.corrupt, RESULT.notADatabase)) {
        this.#writes.poisonWith(fault.message);
      }
      throw new Refusal('storage.unavailable', { cause: error });
    }
  }

  #withUser(row: SqlRow | null): TokenWithUser | null {
    if (row === null) return null;
    const token = apiTokenFromRow(row);
    return { token, user: this.#user(token.userId) };
  }

  /** Users are never deleted while a row refers to them: the tables see to it. */
  #attemptWithUser(row: SqlRow | null): AttemptWithUser | null {
    if (row === null) return null;
    const attempt = this.#attempt(row);
    return { attempt, user: attempt.userId === null ? null : this.#user(attempt.userId) };
  }

  #user(id: UserId): User {
    const row = this.#reader.get(statements.selectUser, { id });
    if (row === null) throw new Error(`user ${id} is missing`);
    return userFromRow(row, this.#identities);
  }
}
