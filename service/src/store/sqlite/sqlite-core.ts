import type { AttemptRecord } from '../../domain/attempt.ts';
import { Refusal } from '../../domain/errors/refusal.ts';
import type { User, UserId } from '../../domain/user.ts';
import type { StoreHealth } from '../../ports/store/index.ts';
import type { GroupCommit } from './group-commit.ts';
import type { Identities } from '../sql/identities.ts';
import { attemptFromRow } from '../sql/rows/attempts.ts';
import type { StepResult, SqlRow, Unit } from '../sql/statement.ts';
import { statements } from './statements.generated.ts';
import { unitsOf } from '../units.ts';
import { userFromRow } from '../sql/rows/users.ts';
import type { CommitThread } from './commit-thread.ts';
import { isResult, RESULT } from './result-codes.ts';
import type { SqliteAudit } from './sqlite-audit.ts';
import type { SqliteReader } from './sqlite-reader.ts';
import { SPACE_PROBE } from './space-probe.ts';
import { faultOf } from './sql-fault.ts';

export interface SqliteParts {
  readonly reader: SqliteReader;
  readonly thread: CommitThread;
  readonly writes: GroupCommit;
  readonly identities: Identities;
  readonly auditLog: SqliteAudit;
}

/** Sends writes to the writing thread, and reads from the last commit. */
export class SqliteCore {
  protected readonly reader: SqliteReader;
  protected readonly identities: Identities;
  protected readonly auditLog: SqliteAudit;
  protected readonly units: ReturnType<typeof unitsOf>;
  readonly #thread: CommitThread;
  readonly #writes: GroupCommit;
  #closing: Promise<void> | null = null;

  constructor({ reader, thread, writes, identities, auditLog }: SqliteParts) {
    this.auditLog = auditLog;
    this.reader = reader;
    this.#thread = thread;
    this.#writes = writes;
    this.identities = identities;
    this.units = unitsOf(statements, identities);
  }

  health(): StoreHealth {
    const closed = this.#closing === null ? null : 'the store is closed';
    const reason = this.#writes.poison ?? closed ?? this.#writes.lack;
    return reason === null ? { ready: true } : { ready: false, reason };
  }

  async recover(): Promise<void> {
    if (this.#writes.lack === null || this.#writes.poison !== null) return;
    await this.#writes.submit(SPACE_PROBE).catch(() => undefined);
  }

  close(): Promise<void> {
    this.#closing ??= this.#shutDown();
    return this.#closing;
  }

  /**
   * The reader stays open until the log has been moved into the database file: when the last
   * connection closes, SQLite moves the log again and deletes it. Where there is no space to move
   * it, the log is kept, with every commit in it.
   */
  async #shutDown(): Promise<void> {
    await this.#writes.close();
    if (this.#writes.poison === null) await this.#thread.flush();
    this.reader.close();
    await (this.#writes.poison === null ? this.#thread.release() : this.#thread.abandon());
  }

  protected submit(unit: Unit): Promise<readonly StepResult[]> {
    return this.#writes.submit(unit);
  }

  /** The first row of each step. A step after a guard that found no row was not run. */
  protected async change(unit: Unit): Promise<(SqlRow | undefined)[]> {
    const results = await this.submit(unit);
    return results.map(({ rows }: StepResult) => rows[0]);
  }

  protected async changeAttempt(unit: Unit): Promise<AttemptRecord | null> {
    const [row] = await this.change(unit);
    return row === undefined ? null : this.attempt(row);
  }

  protected attempt(row: SqlRow): AttemptRecord {
    return attemptFromRow(row, this.identities);
  }

  protected read<Result>(read: () => Result): Result {
    if (!this.reader.isOpen) throw new Refusal('storage.unavailable');
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

  protected user(id: UserId): User {
    const row = this.reader.get(statements.selectUser, { id });
    if (row === null) throw new Error(`user ${id} is missing`);
    return userFromRow(row, this.identities);
  }
}
