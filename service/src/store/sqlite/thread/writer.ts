import { rmSync, writeFileSync } from 'node:fs';
import { DatabaseSync, type StatementSync } from 'node:sqlite';
import type { MessagePort } from 'node:worker_threads';
import type { Unit } from '../../sql/statement.ts';
import { findLogDamage, flushLog } from './log-damage.ts';
import { openDatabase, type OpenedDatabase } from './open-database.ts';
import { isDiskFull, RESULT } from './result-codes.ts';
import { faultOf } from './sql-fault.ts';
import { isSpaceProbe, UnitRunner } from './sqlite-connection.ts';
import type {
  BatchReply,
  Message,
  OpenStage,
  Request,
  SqlFault,
  WorkerSettings,
} from './worker-protocol.ts';

export class OpenFault extends Error {
  readonly stage: OpenStage;

  constructor(stage: OpenStage, cause: unknown) {
    super(faultOf(cause).message, { cause });
    this.stage = stage;
  }
}

/** Answers the requests of the service's thread, one after the other. */
export function serve(port: MessagePort): void {
  const thread = new WritingThread(port);
  port.on('message', (request: Request) => thread.answer(request));
}

type Batch = Extract<Request, { kind: 'batch' }>;

/** What happens in the writing thread. */
class WritingThread {
  readonly #port: MessagePort;
  #writer: Writer | null = null;

  constructor(port: MessagePort) {
    this.#port = port;
  }

  answer(request: Request): void {
    const writer = this.#writer;
    if (request.kind === 'open') this.#open(request.settings);
    else if (writer === null) throw new Error(`asked for ${request.kind} before it was opened`);
    else if (request.kind === 'batch') this.#runBatch(writer, request);
    else if (request.kind === 'flush') this.#send(done(() => writer.flush()));
    else this.#release(writer);
  }

  #open(settings: WorkerSettings): void {
    try {
      this.#writer = new Writer(settings);
      this.#send({ kind: 'opened', location: this.#writer.location });
    } catch (error) {
      const stage = error instanceof OpenFault ? error.stage : 'open';
      const cause = error instanceof OpenFault ? error.cause : error;
      this.#send({ kind: 'refused', stage, fault: faultOf(cause) });
      this.#port.close();
    }
  }

  /** The reply is sent before a checkpoint is made: the batch is already on the disk, in the log. */
  #runBatch(writer: Writer, { units, auditKey }: Batch): void {
    if (auditKey !== undefined) writer.useAuditKey(auditKey);
    this.#send({ kind: 'batch', reply: writer.runBatch(units) });
    const { fault } = done(() => {
      const bytes = writer.checkpointIfDue();
      if (bytes !== null) this.#send({ kind: 'longLog', bytes });
    });
    if (fault !== null) this.#send({ kind: 'broken', fault });
  }

  #release(writer: Writer): void {
    this.#send(done(() => writer.release()));
    this.#port.close();
  }

  #send(message: Message): void {
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread, no window
    this.#port.postMessage(message);
  }
}

/** What is told of an action: its fault, or null when it succeeded. */
function done(action: () => void): Extract<Message, { kind: 'done' }> {
  try {
    action();
    return { kind: 'done', fault: null };
  } catch (error) {
    return { kind: 'done', fault: faultOf(error) };
  }
}

/** The writing end of a file: its lock, its settings, its log, and batches of units. */
export class Writer {
  readonly #file: string;
  readonly #lock: DatabaseSync | null;
  readonly #database: DatabaseSync;
  readonly #log: WriteAheadLog;
  readonly #units: UnitRunner;

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
    this.#log = new WriteAheadLog(database, settings.maxLogPages);
    this.#units = new UnitRunner(database, settings);
  }

  /**
   * While there is no space for a checkpoint, nothing is added to the log. A larger log would use
   * up freed space, so the database file could not grow, no checkpoint would succeed, and the disk
   * would stay full.
   */
  runBatch(units: readonly Unit[]): BatchReply {
    const fault = units.some(isSpaceProbe) ? this.#faultOfCheckpoint() : this.#log.lack;
    if (fault !== null) return { outcome: 'rolled_back', fault };
    const reply = this.#units.run(units);
    const isFull = reply.outcome !== 'committed' && isDiskFull(reply.fault.code);
    if (isFull) this.#log.noteFullDisk();
    return reply;
  }

  /** For the batches from now on. */
  useAuditKey(key: Uint8Array): void {
    this.#units.useAuditKey(key);
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

function at<Result>(stage: OpenStage, action: () => Result): Result {
  try {
    return action();
  } catch (error) {
    throw new OpenFault(stage, error);
  }
}

/** A log this many times as long as its limit is reported. */
const TOO_LONG = 4;

/** A page of 4 KiB, and its header. */
const BYTES_OF_A_PAGE = 4096 + 24;

/** In pages. */
interface LogState {
  /** All pages of the log. It begins again when none is left and nobody reads it. */
  readonly length: number;
  /** Pages that are not in the database file yet. */
  readonly left: number;
}

/**
 * Moves the pages of the write-ahead log into the database file: a checkpoint. After it the log is
 * written from its beginning again, which needs no more disk space.
 *
 * Pages that were written since a reader began its transaction stay in the log until that reader
 * ends. A backup is one such transaction from its first page to its last, and the log has no limit
 * meanwhile: refusing writes instead would make every backup an outage. So it is reported.
 *
 * SQLite's automatic checkpoints are off, because they do not report a failure: the next one could
 * then treat pages as safe that the disk has already lost. A full disk has lost nothing: the log is
 * still complete, and the next checkpoint writes the same pages again.
 */
class WriteAheadLog {
  readonly #database: DatabaseSync;
  readonly #maxPages: number;
  readonly #state: StatementSync;
  #isReported = false;
  #isFull = false;
  #lack: SqlFault | null = null;

  constructor(database: DatabaseSync, maxPages: number) {
    this.#database = database;
    this.#maxPages = maxPages;
    this.#state = database.prepare('PRAGMA wal_checkpoint(NOOP)');
  }

  /** The error of a checkpoint for which there was no space; null after a successful one. */
  get lack(): SqlFault | null {
    return this.#lack;
  }

  /**
   * To be called after a write without space: after a checkpoint the next write needs no more
   * space.
   */
  noteFullDisk(): void {
    this.#isFull = true;
  }

  /**
   * Counts pages, so that the size of the changes does not matter. The log keeps to its limit unless
   * somebody reads for longer.
   * @returns the pages of the log, once, when it has become much longer than its limit; else null
   * @throws Error
   */
  checkpointIfDue(): number | null {
    if (this.#lack !== null) return null;
    const before = stateFrom(this.#state.get());
    const isDue = this.#isFull || before.left >= this.#maxPages;
    return this.#newlyTooLong(isDue ? this.checkpoint('PASSIVE') : before);
  }

  /**
   * PASSIVE never waits. TRUNCATE waits for readers as long as `busy_timeout` says, then empties
   * the log. Both leave pages that others still read.
   * @returns null on a full disk, which is then the `lack`
   * @throws Error for every other fault
   */
  checkpoint(mode: 'PASSIVE' | 'TRUNCATE'): LogState | null {
    this.#isFull = false;
    try {
      const state = stateFrom(this.#database.prepare(`PRAGMA wal_checkpoint(${mode})`).get());
      this.#lack = null;
      return state;
    } catch (error) {
      const fault = faultOf(error);
      if (!isDiskFull(fault.code)) throw error;
      this.#lack = fault;
      return null;
    }
  }

  #newlyTooLong(state: LogState | null): number | null {
    if (state === null) return null;
    const isTooLong = state.length > TOO_LONG * this.#maxPages;
    const isNews = isTooLong && !this.#isReported;
    this.#isReported = isTooLong;
    return isNews ? state.length : null;
  }
}

/** From the row that every `PRAGMA wal_checkpoint` answers. */
function stateFrom(row: Record<string, unknown> | undefined): LogState {
  const { log, checkpointed } = row ?? {};
  const length = Number(log);
  return { length, left: length - Number(checkpointed) };
}

/** More than most batches of writes take. The page above may find space where a batch does not. */
const TRIAL_BYTES = 256 * 1024;

const NO_SPACE: ReadonlySet<unknown> = new Set(['ENOSPC', 'EDQUOT']);

/** Writes a file beside the database and removes it again. Only the lack of space is a fault. */
function faultOfTrial(database: string): SqlFault | null {
  const file = trialFile(database);
  try {
    writeFileSync(file, Buffer.alloc(TRIAL_BYTES, 'x'), { mode: 0o600 });
    return null;
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : null;
    return NO_SPACE.has(code) ? { code: RESULT.full, message: 'database or disk is full' } : null;
  } finally {
    removeTrial(database);
  }
}

/** After a kill it would keep the last space. What can't be removed is no fault of the store. */
function removeTrial(database: string): void {
  try {
    rmSync(trialFile(database), { force: true });
  } catch {
    // The next trial tries it again.
  }
}

function trialFile(database: string): string {
  return `${database}-trial`;
}
