import { DatabaseSync, type StatementSync } from 'node:sqlite';
import type { Step, StepResult, Unit } from '../statement.ts';
import { lendAuditHash } from './audit-function.ts';
import { openDatabase, type OpenedDatabase } from './open-database.ts';
import { faultOf } from './sql-fault.ts';
import { isDiskFull, isResult, RESULT } from './result-codes.ts';
import type {
  BatchReply,
  OpenStage,
  SqlFault,
  UnitReply,
  WorkerSettings,
} from './worker-protocol.ts';

/** About 20 MB of log: the fewer checkpoints, the more changes of one page they write at once. */
const CHANGES_BETWEEN_CHECKPOINTS = 4096;
/** After a checkpoint for which there was no space. */
const CHANGES_BEFORE_ANOTHER_TRY = 256;

interface Prepared {
  readonly statement: StatementSync;
  readonly returnsRows: boolean;
}

export class OpenFault extends Error {
  readonly stage: OpenStage;

  constructor(stage: OpenStage, cause: unknown) {
    super(faultOf(cause).message, { cause });
    this.stage = stage;
  }
}

/** Runs batches of SQL, one transaction each, and knows nothing of what they are for. */
export class Writer {
  readonly #lock: DatabaseSync | null;
  readonly #database: DatabaseSync;
  readonly #sql: Readonly<Record<string, string>>;
  readonly #prepared = new Map<string, Prepared>();
  #changes = 0;

  /** What other connections of this process have to open: see open-database.ts. */
  readonly location: string;

  constructor(settings: WorkerSettings) {
    this.#lock = at('lock', () => takeLock(settings));
    const { database, location }: OpenedDatabase = at('open', () => openDatabase(settings));
    this.#database = database;
    this.location = location;
    lendAuditHash(database, settings.auditKey);
    at('setting', () => applyPragmas(this.#database, settings));
    if (settings.verify) at('verify', () => verify(this.#database));
    this.#sql = settings.statements;
  }

  runBatch(units: readonly Unit[]): BatchReply {
    let committing = false;
    try {
      this.#database.exec('BEGIN IMMEDIATE');
      const replies = units.map((unit) => this.#runUnit(unit));
      committing = true;
      this.#database.exec('COMMIT');
      return { outcome: 'committed', units: replies };
    } catch (error) {
      const fault = faultOf(error);
      const undone = this.#rollBack();
      // A full disk stops a commit before its last page, which alone would make it count.
      const isKnown = undone && (!committing || isResult(fault.code, RESULT.full, RESULT.busy));
      return isKnown ? { outcome: 'rolled_back', fault } : { outcome: 'unknown', fault, undone };
    }
  }

  /**
   * Checkpoints are run here and not by SQLite itself, which would keep a failed one to itself: the
   * next one could then declare pages safe that the disk has already lost. A full disk has lost
   * nothing: the log is still whole, and the next checkpoint writes the same pages again.
   */
  checkpointIfDue(): void {
    if (this.#changes < CHANGES_BETWEEN_CHECKPOINTS) return;
    const isDone = this.#checkpoint('PASSIVE');
    this.#changes = isDone ? 0 : CHANGES_BETWEEN_CHECKPOINTS - CHANGES_BEFORE_ANOTHER_TRY;
  }

  /** Who has the lock leaves nothing in the log; who has not waits for nobody and leaves it there. */
  flush(): void {
    this.#checkpoint(this.#lock === null ? 'PASSIVE' : 'TRUNCATE');
  }

  release(): void {
    this.#database.close();
    this.#lock?.close();
  }

  /** False when there was no space for it. */
  #checkpoint(mode: 'PASSIVE' | 'TRUNCATE'): boolean {
    try {
      this.#database.exec(`PRAGMA wal_checkpoint(${mode})`);
      return true;
    } catch (error) {
      if (isDiskFull(faultOf(error).code)) return false;
      throw error;
    }
  }

  /** One statement is whole by itself; only several need a point to go back to. */
  #runUnit(unit: Unit): UnitReply {
    const isCompound = unit.length > 1;
    if (isCompound) this.#database.exec('SAVEPOINT unit');
    try {
      const results = this.#runSteps(unit);
      if (isCompound) this.#database.exec('RELEASE unit');
      return { results };
    } catch (error) {
      const fault = faultOf(error);
      if (!this.#database.isTransaction || !isOwnFault(fault)) throw error;
      if (isCompound) this.#database.exec('ROLLBACK TO unit; RELEASE unit');
      return { fault };
    }
  }

  #runSteps(unit: Unit): StepResult[] {
    const results: StepResult[] = [];
    for (const step of unit) {
      const result = this.#runStep(step);
      results.push(result);
      if (step.stopWhenEmpty && result.rows.length === 0) break;
    }
    return results;
  }

  #runStep({ statement: name, values }: Step): StepResult {
    const { statement, returnsRows } = this.#prepare(name);
    const rows = returnsRows ? statement.all(...values) : [];
    const changes = returnsRows ? 0 : Number(statement.run(...values).changes);
    this.#changes += changes + rows.length;
    return { rows, changes };
  }

  #prepare(name: string): Prepared {
    const known = this.#prepared.get(name);
    if (known !== undefined) return known;
    const statement = this.#database.prepare(this.#sql[name] ?? '');
    const prepared = { statement, returnsRows: statement.columns().length > 0 };
    this.#prepared.set(name, prepared);
    return prepared;
  }

  /** Whether nothing is left of the transaction. Some errors have already ended it themselves. */
  #rollBack(): boolean {
    try {
      if (this.#database.isTransaction) this.#database.exec('ROLLBACK');
      return true;
    } catch {
      return false;
    }
  }
}

/** The lock of an open transaction on a file of its own ends with the process, however it ends. */
function takeLock({ lockFile, lockWaitMs }: WorkerSettings): DatabaseSync | null {
  if (lockFile === null) return null;
  const lock = new DatabaseSync(lockFile, { timeout: lockWaitMs });
  // It never writes, so its journal need not exist.
  lock.exec('PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE');
  return lock;
}

function applyPragmas(database: DatabaseSync, { pragmas }: WorkerSettings): void {
  for (const { name, value, expected } of pragmas) {
    database.exec(`PRAGMA ${name} = ${value}`);
    const actual = Object.values(database.prepare(`PRAGMA ${name}`).get() ?? {})[0];
    if (actual !== expected) throw new Error(`${name} is ${String(actual)}, not ${expected}`);
  }
}

function verify(database: DatabaseSync): void {
  const [first] = Object.values(database.prepare('PRAGMA quick_check(1)').get() ?? {});
  if (first !== 'ok') throw new Error(String(first));
}

/** An error of the statement or its values, which leaves the other units of the batch alone. */
function isOwnFault({ code }: SqlFault): boolean {
  const { error, tooBig, constraint, mismatch, range } = RESULT;
  return code === null || isResult(code, error, tooBig, constraint, mismatch, range);
}

function at<Result>(stage: OpenStage, action: () => Result): Result {
  try {
    return action();
  } catch (error) {
    throw new OpenFault(stage, error);
  }
}
