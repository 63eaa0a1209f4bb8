import { DatabaseSync, type StatementSync } from 'node:sqlite';
import type { Unit } from '../sql/command.ts';
import type { Step, StepResult } from '../sql/statement.ts';
import { completeEntries } from '../sql/audit-entry.ts';
import { AuditLog } from './audit-log.ts';
import { openDatabase, type OpenedDatabase } from './open-database.ts';
import { isDiskFull, isResult, RESULT } from './result-codes.ts';
import { faultOfTrial, isSpaceProbe, removeTrial } from './space-probe.ts';
import { findLogDamage, flushLog } from './log-damage.ts';
import { faultOf } from './sql-fault.ts';
import type {
  BatchReply,
  OpenStage,
  SqlFault,
  UnitReply,
  WorkerSettings,
} from './worker-protocol.ts';
import { BYTES_OF_A_PAGE, WriteAheadLog } from './write-ahead-log.ts';

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

/** Runs batches of SQL, one transaction each, without knowing their purpose. */
export class Writer {
  readonly #file: string;
  readonly #lock: DatabaseSync | null;
  readonly #database: DatabaseSync;
  readonly #sql: Readonly<Record<string, string>>;
  readonly #log: WriteAheadLog;
  readonly #audit: AuditLog;
  readonly #prepared = new Map<string, Prepared>();

  /** The file or URI that other connections of this process have to open: see open-database.ts. */
  readonly location: string;

  constructor(settings: WorkerSettings) {
    this.#file = settings.file;
    this.#lock = at('lock', () => takeLock(settings));
    if (this.#lock !== null) removeTrial(settings.file);
    if (settings.verifyLog) prepareLog(`${settings.file}-wal`);
    const { database, location }: OpenedDatabase = at('open', () => openDatabase(settings));
    this.#database = database;
    this.location = location;
    at('setting', () => applyPragmas(this.#database, settings));
    if (settings.verify) at('verify', () => verify(this.#database));
    this.#sql = settings.statements;
    this.#log = new WriteAheadLog(database, settings.maxLogPages);
    this.#audit = new AuditLog((name) => this.#prepare(name).statement, settings.auditKey);
  }

  /**
   * While there is no space for a checkpoint, nothing is added to the log. A larger log would use
   * up freed space, so the database file could not grow, no checkpoint would succeed, and the disk
   * would stay full.
   */
  runBatch(units: readonly Unit[]): BatchReply {
    const fault = units.some(isSpaceProbe) ? this.#faultOfCheckpoint() : this.#log.lack;
    return fault === null ? this.#runUnits(units) : { outcome: 'rolled_back', fault };
  }

  /**
   * Savepoints cost a third of the units' time, and are needed only if a unit of the batch fails,
   * which is rare. So the batch runs without them first, and again with them after a failure.
   */
  #runUnits(units: readonly Unit[]): BatchReply {
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
      if (isDiskFull(fault.code)) this.#log.noteFullDisk();
      const undone = this.#rollBack();
      // On a full disk the last page of a commit is missing, so SQLite ignores the pages before it. A
      // commit that failed because the index of the log could not grow may be in the log all the
      // same: a crash would bring it back.
      const isKnown = undone && (!committing || isResult(fault.code, RESULT.full, RESULT.busy));
      return isKnown ? { outcome: 'rolled_back', fault } : { outcome: 'unknown', fault, undone };
    }
  }

  /**
   * After each batch.
   * @returns the bytes of the log, once, when it has become much longer than its limit; else null
   * @throws Error for any fault but a full disk
   */
  checkpointIfDue(): number | null {
    const pages = this.#log.checkpointIfDue();
    return pages === null ? null : pages * BYTES_OF_A_PAGE;
  }

  /**
   * The service, which has the lock, empties the log, unless a backup still reads it: the log stays
   * then, complete, and the next start reads it. A command beside it has no lock and does not
   * wait: pages that others still read stay in the log.
   */
  flush(): void {
    this.#log.checkpoint(this.#lock === null ? 'PASSIVE' : 'TRUNCATE');
  }

  release(): void {
    this.#database.close();
    this.#lock?.close();
  }

  /** The fault of a checkpoint or of a trial write; null when both succeeded. */
  #faultOfCheckpoint(): SqlFault | null {
    try {
      this.#log.checkpoint('PASSIVE');
      return this.#log.lack ?? faultOfTrial(this.#file);
    } catch (error) {
      return faultOf(error);
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
    const statement = this.#database.prepare(this.#sql[name] ?? '');
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

/**
 * Takes the lock by an open transaction on a separate file, which ends with the process, even after
 * a kill.
 */
function takeLock({ lockFile, lockWaitMs }: WorkerSettings): DatabaseSync | null {
  if (lockFile === null) return null;
  const lock = new DatabaseSync(lockFile, { timeout: lockWaitMs });
  // Nothing is ever written to it, so it needs no journal file.
  lock.exec('PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE');
  return lock;
}

/** Before SQLite sees the log: it would go on writing at the first damaged place. */
function prepareLog(log: string): void {
  at('open', () => flushLog(log));
  at('log', () => verifyLog(log));
}

function verifyLog(log: string): void {
  const damage = findLogDamage(log);
  if (damage === null) return;
  const { readable, commits } = damage;
  throw new Error(`it is whole up to byte ${readable}, and ${commits} or more commits follow`);
}

function applyPragmas(database: DatabaseSync, { pragmas }: WorkerSettings): void {
  for (const { name, value, expected } of pragmas) {
    database.exec(`PRAGMA ${name} = ${value}`);
    const actual = Object.values(database.prepare(`PRAGMA ${name}`).get() ?? {})[0];
    if (actual !== expected) throw new Error(`${name} is ${String(actual)}, not ${expected}`);
  }
}

/** With the indexes: a row that its index does not have is one that nobody finds. */
function verify(database: DatabaseSync): void {
  const [first] = Object.values(database.prepare('PRAGMA integrity_check(1)').get() ?? {});
  if (first !== 'ok') throw new Error(String(first));
}

/** An error of this statement or its values: the other units of the batch can be committed. */
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
