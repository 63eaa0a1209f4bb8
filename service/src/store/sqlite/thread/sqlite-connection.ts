import { DatabaseSync, type StatementSync } from 'node:sqlite';
import { auditHash } from '../../../audit/audit.ts';
import { completeEntries, HASHED_COLUMNS, hashedIn } from '../../sql/audit-rows.ts';
import type { Statements } from '../../sql/queries/index.ts';
import type { NewAuditColumns } from '../../sql/schema.ts';
import type { Read, Select, SqlRow, Step, StepResult, Unit } from '../../sql/statement.ts';
import { isResult, RESULT } from './result-codes.ts';
import { faultOf } from './sql-fault.ts';
import type { BatchReply, SqlFault, UnitReply, WorkerSettings } from './worker-protocol.ts';

/** The text of each statement, by its name. */
export function textsOf(statements: Statements): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.values(statements).map(({ name, sql }) => [name, sql]));
}

/** The statements of one connection, each prepared when it is first used. */
export class PreparedStatements {
  readonly #database: DatabaseSync;
  readonly #sql: Readonly<Record<string, string>>;
  readonly #prepared = new Map<string, StatementSync>();

  constructor(database: DatabaseSync, sql: Readonly<Record<string, string>>) {
    this.#database = database;
    this.#sql = sql;
  }

  get(name: string): StatementSync {
    const known = this.#prepared.get(name);
    if (known !== undefined) return known;
    const statement = this.#database.prepare(this.#sql[name] ?? '');
    this.#prepared.set(name, statement);
    return statement;
  }

  rowsOf({ name, values, isByKey }: Select): readonly SqlRow[] {
    const statement = this.get(name);
    if (!isByKey) return statement.all(...values);
    const row = statement.get(...values);
    return row === undefined ? [] : [row];
  }
}

/** Runs all statements of a read, one after the other. */
export function readAtOnce<Result>(
  read: Read<Result>,
  rowsOf: (select: Select) => readonly SqlRow[],
): Result {
  let next = read.next();
  while (next.done !== true) next = read.next(rowsOf(next.value));
  return next.value;
}

interface Head {
  readonly sequence: number;
  readonly hash: string;
}

/**
 * Appends rows to the audit log, each chained to the one before it. The head is read once in a
 * transaction: until its end nobody else can write.
 */
export class AuditLog {
  readonly #prepare: (name: string) => StatementSync;
  #key: Uint8Array;
  #head: Head | null = null;

  constructor(prepare: (name: string) => StatementSync, key: Uint8Array) {
    this.#prepare = prepare;
    this.#key = key;
  }

  /** Between two transactions. */
  useKey(key: Uint8Array): void {
    this.#key = key;
  }

  /** Another transaction, or one that is run again: the head is read anew. */
  forgetHead(): void {
    this.#head = null;
  }

  /** @throws Error if the head is lost: no change happens without its row */
  append(entry: NewAuditColumns): void {
    const head = this.#head ?? this.#readHead();
    const row = { ...entry, sequence: head.sequence + 1, previous: head.hash };
    const values = HASHED_COLUMNS.map((column) => row[column]);
    const hash = auditHash(this.#key, hashedIn(row));
    // The columns of `insertAudit`, in its order.
    this.#prepare('insertAudit').run(...values, hash);
    this.#head = { sequence: row.sequence, hash };
  }

  #readHead(): Head {
    const { sequence, hash } = this.#prepare('selectAuditHead').get() ?? {};
    if (typeof sequence !== 'number' || typeof hash !== 'string') {
      throw new Error('the head of the audit log is lost');
    }
    return { sequence, hash };
  }
}

interface Prepared {
  readonly statement: StatementSync;
  readonly returnsRows: boolean;
}

/** Runs batches of SQL, one transaction each, without knowing their purpose. */
export class UnitRunner {
  readonly #database: DatabaseSync;
  readonly #statements: PreparedStatements;
  readonly #audit: AuditLog;
  readonly #prepared = new Map<string, Prepared>();

  constructor(
    database: DatabaseSync,
    { statements, auditKey }: Pick<WorkerSettings, 'statements' | 'auditKey'>,
  ) {
    this.#database = database;
    this.#statements = new PreparedStatements(database, statements);
    this.#audit = new AuditLog((name) => this.#statements.get(name), auditKey);
  }

  useAuditKey(key: Uint8Array): void {
    this.#audit.useKey(key);
  }

  /**
   * Savepoints cost a third of the units' time, and are needed only if a unit of the batch fails,
   * which is rare. So the batch runs without them first, and again with them after a failure.
   */
  run(units: readonly Unit[]): BatchReply {
    const reply = this.#transact(() => units.map((unit) => ({ results: this.#runSteps(unit) })));
    const isOneAtFault = reply.outcome === 'rolled_back' && isOwnFault(reply.fault);
    return isOneAtFault ? this.#transact(() => units.map((unit) => this.#runUnit(unit))) : reply;
  }

  #transact(run: () => readonly UnitReply[]): BatchReply {
    let committing = false;
    try {
      this.#database.exec('BEGIN IMMEDIATE');
      this.#audit.forgetHead();
      const replies = run();
      committing = true;
      this.#database.exec('COMMIT');
      return { outcome: 'committed', units: replies };
    } catch (error) {
      const fault = faultOf(error);
      const undone = this.#rollBack();
      // On a full disk the last page of a commit is missing, so SQLite ignores the pages before it. A
      // commit that failed because the index of the log could not grow may be in the log all the
      // same: a crash would bring it back.
      const isKnown = undone && (!committing || isResult(fault.code, RESULT.full, RESULT.busy));
      return isKnown ? { outcome: 'rolled_back', fault } : { outcome: 'unknown', fault, undone };
    }
  }

  /** SQLite rolls back a single failed statement itself; several statements need a savepoint. */
  #runUnit(unit: Unit): UnitReply {
    const isCompound = unit.steps.length + unit.audit.length > 1;
    if (isCompound) this.#database.exec('SAVEPOINT unit');
    try {
      const results = this.#runSteps(unit);
      if (isCompound) this.#database.exec('RELEASE unit');
      return { results };
    } catch (error) {
      const fault = faultOf(error);
      if (!this.#database.isTransaction || !isOwnFault(fault)) throw error;
      if (isCompound) this.#database.exec('ROLLBACK TO unit; RELEASE unit');
      this.#audit.forgetHead();
      return { fault };
    }
  }

  /** The results of the steps that ran. The audit rows are written if all of them did. */
  #runSteps({ steps, audit }: Unit): StepResult[] {
    const results: StepResult[] = [];
    for (const step of steps) {
      const result = this.#runStep(step);
      results.push(result);
      if (step.stopWhenEmpty && result.rows.length === 0) return results;
    }
    for (const row of completeEntries({ steps, audit }, results)) this.#audit.append(row);
    return results;
  }

  #runStep({ statement: name, values }: Step): StepResult {
    const { statement, returnsRows } = this.#prepare(name);
    const rows = returnsRows ? statement.all(...values) : [];
    const changes = returnsRows ? 0 : Number(statement.run(...values).changes);
    return { rows, changes };
  }

  #prepare(name: string): Prepared {
    const known = this.#prepared.get(name);
    if (known !== undefined) return known;
    const statement = this.#statements.get(name);
    const prepared = { statement, returnsRows: statement.columns().length > 0 };
    this.#prepared.set(name, prepared);
    return prepared;
  }

  /**
   * False when the transaction could not be rolled back. After some errors SQLite rolls it back
   * itself.
   */
  #rollBack(): boolean {
    try {
      if (this.#database.isTransaction) this.#database.exec('ROLLBACK');
      return true;
    } catch {
      return false;
    }
  }
}

/** An error of this statement or its values: the other units of the batch can be committed. */
function isOwnFault({ code }: SqlFault): boolean {
  const { error, tooBig, constraint, mismatch, range } = RESULT;
  return code === null || isResult(code, error, tooBig, constraint, mismatch, range);
}

/**
 * Reads on the main thread. In write-ahead-log mode a reader never waits and sees the last commit,
 * so a look-up takes microseconds, less than a message to another thread.
 *
 * Half of that time is for taking and releasing locks. Requests that are handled together also read
 * together, so their reads share a transaction: from the second read on, until the pending
 * microtasks have run. The result of our own write arrives as a message from the writing thread,
 * after all microtasks. So no result can arrive during the transaction, and a caller who has one
 * reads in a later transaction, which sees the write.
 */
export class SqliteReader {
  readonly #database: DatabaseSync;
  readonly #begin: StatementSync;
  readonly #commit: StatementSync;
  readonly #onStuck: (reason: string) => void;
  readonly #statements: PreparedStatements;
  #reads = 0;

  /**
   * @param statements the SQL of each statement, by its name
   * @param onStuck is told that a shared transaction could not be ended. Later reads would not see
   *   later writes, so the store can't be used any more.
   */
  constructor(
    file: string,
    statements: Readonly<Record<string, string>>,
    onStuck: (reason: string) => void,
  ) {
    this.#database = new DatabaseSync(file, { readOnly: true });
    this.#statements = new PreparedStatements(this.#database, statements);
    this.#begin = this.#database.prepare('BEGIN');
    this.#commit = this.#database.prepare('COMMIT');
    this.#onStuck = onStuck;
  }

  get isOpen(): boolean {
    return this.#database.isOpen;
  }

  read<Result>(read: Read<Result>): Result {
    return readAtOnce(read, (select) => this.#rowsOf(select));
  }

  close(): void {
    if (this.isOpen) this.#database.close();
  }

  /** The first read is usually the only one, so it needs no transaction. */
  #beginRead(): void {
    this.#reads += 1;
    if (this.#reads === 1) queueMicrotask(() => this.#endReads());
    else if (this.#reads === 2) this.#begin.run();
  }

  /** Runs as a microtask, so nobody could catch an error. */
  #endReads(): void {
    this.#reads = 0;
    // Some errors end the transaction themselves.
    if (!this.isOpen || !this.#database.isTransaction) return;
    try {
      this.#commit.run();
    } catch (error) {
      this.#onStuck(faultOf(error).message);
    }
  }

  #rowsOf(select: Select): readonly SqlRow[] {
    this.#beginRead();
    return this.#statements.rowsOf(select);
  }
}

const NAME = 'probeSpace';

/**
 * Writes one page without changing data: nothing reads this number, and SQLite writes it even if it
 * is unchanged. An UPDATE without a change would not be enough, because it may write nothing.
 */
export const PROBE_STATEMENT = { [NAME]: 'PRAGMA user_version = 0' };

/** A batch that succeeds only where there is space again. */
export const SPACE_PROBE: Unit = {
  steps: [{ statement: NAME, values: [], stopWhenEmpty: false }],
  audit: [],
};

/** Compares the statement, because a unit from another thread is a copy. */
export function isSpaceProbe({ steps }: Unit): boolean {
  return steps[0]?.statement === NAME;
}
