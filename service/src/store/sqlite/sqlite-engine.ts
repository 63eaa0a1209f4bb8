import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { Refusal } from '../../errors/refusal.ts';
import type { StoreHealth } from '../ports/store.port.ts';
import type { AuditKeys } from '../../platform/keys/server-keys.port.ts';
import { NO_KEY } from '../../values/secret.ts';
import type { SqlEngine } from '../sql/engine.ts';
import { type Command, type Read, Results, type StepResult, type Unit } from '../sql/statement.ts';
import { StatementError } from '../store-fault.ts';
import { isDiskFull, isResult, RESULT } from './result-codes.ts';
import { faultOf } from './sql-fault.ts';
import { isSpaceProbe, SPACE_PROBE, type SqliteReader } from './sqlite-connection.ts';
import {
  openError,
  outcomeUnknown,
  RETRY_AFTER_SECONDS,
  toError,
  unavailable,
} from './sqlite-faults.ts';
import type { BatchReply, Message, Request, UnitReply, WorkerSettings } from './worker-protocol.ts';

type Reader = Pick<SqliteReader, 'isOpen' | 'read' | 'close'>;
type WritingEnd = Pick<CommitThread, 'flush' | 'release' | 'abandon'>;

interface SqliteParts {
  readonly reader: Reader;
  readonly thread: WritingEnd;
  readonly writes: GroupCommit;
}

/** One database. Commands are written in groups; reads are answered from the last commit. */
export class SqliteEngine implements SqlEngine {
  readonly #reader: Reader;
  readonly #thread: WritingEnd;
  readonly #writes: GroupCommit;
  readonly #underWay = new Set<Promise<unknown>>();
  #closing: Promise<void> | null = null;

  constructor({ reader, thread, writes }: SqliteParts) {
    this.#reader = reader;
    this.#thread = thread;
    this.#writes = writes;
  }

  async run<Result>({ steps, audit, decode }: Command<Result>): Promise<Result> {
    const answer = this.#writes.submit({ steps, audit });
    this.#underWay.add(answer);
    try {
      return decode(new Results(steps, await answer));
    } finally {
      this.#underWay.delete(answer);
    }
  }

  /** Resolves when the commands that have begun are done. */
  async settled(): Promise<void> {
    await Promise.allSettled(this.#underWay);
  }

  async read<Result>(read: Read<Result>): Promise<Result> {
    if (!this.#reader.isOpen) throw new Refusal('storage.unavailable');
    try {
      return this.#reader.read(read);
    } catch (error) {
      const fault = faultOf(error);
      if (fault.code === null) throw error;
      if (isResult(fault.code, RESULT.corrupt, RESULT.notADatabase)) {
        this.#writes.poisonWith(fault.message);
      }
      throw new Refusal('storage.unavailable', { cause: error });
    }
  }

  health(): StoreHealth {
    const closed = this.#closing === null ? null : 'the store is closed';
    const reason = this.#writes.poison ?? closed;
    if (reason !== null) return { ready: false, reason };
    const { lack, hold } = this.#writes;
    if (lack !== null) return { ready: false, reason: lack, isFull: true };
    return hold === null ? { ready: true } : { ready: false, reason: hold, isStalled: true };
  }

  async recover(): Promise<void> {
    const { lack, hold, poison } = this.#writes;
    if ((lack === null && hold === null) || poison !== null) return;
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
    this.#reader.close();
    await (this.#writes.poison === null ? this.#thread.release() : this.#thread.abandon());
  }
}

const MAX_BATCH = 256;
const MAX_QUEUE = 4096;
/** There is one a second. With fewer, whoever looks at readiness would see it come and go. */
const TRIALS_IN_A_ROW = 3;

interface BatchRunner {
  /** Runs the units in one transaction. Rejects when its result can never be known. */
  run(units: readonly Unit[]): Promise<BatchReply>;
  /** Resolves with the reason when no batch can be run any more; also between two batches. */
  readonly broken: Promise<string>;
}

export interface GroupCommitOptions {
  /** The most units per transaction; with 1 every unit needs its own disk flush. */
  readonly maxBatch?: number;
  /**
   * The most waiting units; further ones are refused, so that a slow disk does not fill the memory.
   */
  readonly maxQueue?: number;
  /**
   * Called when a transaction is handed to the writing thread. What it returns is called when that
   * transaction was committed, with the number of its units.
   */
  readonly onBegin?: () => (units: number) => void;
  readonly onPoisoned: (reason: string) => void;
}

interface Waiting {
  readonly unit: Unit;
  readonly resolve: (results: readonly StepResult[]) => void;
  readonly reject: (reason: Error) => void;
}

/**
 * Group commit: units that arrive while one transaction is being written go into the next one, so
 * that many requests share one disk flush. A unit's promise resolves only after its COMMIT.
 */
export class GroupCommit {
  readonly #runner: BatchRunner;
  readonly #options: Required<GroupCommitOptions>;
  #queue: Waiting[] = [];
  #isBusy = false;
  #isClosed = false;
  #poison: string | null = null;
  #lack: string | null = null;
  /** Test writes that succeeded since the last write without space. */
  #trials = 0;
  #hold: string | null = null;
  #whenIdle: () => void = () => undefined;

  constructor(runner: BatchRunner, options: GroupCommitOptions) {
    this.#runner = runner;
    const { maxBatch = MAX_BATCH, maxQueue = MAX_QUEUE, onPoisoned } = options;
    const { onBegin = () => () => undefined } = options;
    this.#options = { maxBatch, maxQueue, onBegin, onPoisoned };
    void runner.broken.then((reason) => this.poisonWith(reason));
  }

  /** Why nothing can be written any more, or null. */
  get poison(): string | null {
    return this.#poison;
  }

  /**
   * The lack of space as a text, or null. Writes are still tried; only several successful test
   * writes in a row end it.
   */
  get lack(): string | null {
    return this.#lack;
  }

  /** That another program did not let the last batch write, as a text, or null. */
  get hold(): string | null {
    return this.#hold;
  }

  /** @throws Refusal by rejection; StatementError when the database refuses this unit alone. */
  submit(unit: Unit): Promise<readonly StepResult[]> {
    if (this.#poison !== null || this.#isClosed) return Promise.reject(unavailable(this.#poison));
    if (this.#queue.length >= this.#options.maxQueue) {
      const retryAfterSeconds = RETRY_AFTER_SECONDS;
      return Promise.reject(new Refusal('server.overloaded', { retryAfterSeconds }));
    }
    return new Promise((resolve, reject) => {
      this.#queue.push({ unit, resolve, reject });
      if (!this.#isBusy) this.#sendAtEndOfTurn();
    });
  }

  /**
   * After a disk error a later success proves nothing, so all writes are refused until a restart.
   */
  poisonWith(reason: string): void {
    if (this.#poison !== null) return;
    this.#poison = reason;
    for (const waiting of this.#queue.splice(0)) waiting.reject(unavailable(reason));
    this.#options.onPoisoned(reason);
  }

  /** Refuses new units, and resolves when all earlier ones have been answered. */
  async close(): Promise<void> {
    this.#isClosed = true;
    if (this.#isBusy) await new Promise<void>((resolve) => (this.#whenIdle = resolve));
  }

  #sendAtEndOfTurn(): void {
    this.#isBusy = true;
    queueMicrotask(() => void this.#sendNext());
  }

  async #sendNext(): Promise<void> {
    const batch = this.#queue.splice(0, this.#options.maxBatch);
    if (batch.length === 0) {
      this.#isBusy = false;
      this.#whenIdle();
      return;
    }
    const settle = await this.#runBatch(batch);
    // The next batch is written to the disk while the answers of this one are prepared.
    void this.#sendNext();
    settle();
  }

  async #runBatch(batch: readonly Waiting[]): Promise<() => void> {
    const onCommit = this.#options.onBegin();
    try {
      const reply = await this.#runner.run(batch.map(({ unit }) => unit));
      if (reply.outcome === 'committed') onCommit(batch.length);
      return this.#settlementOf(batch, reply);
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error);
      return this.#settlementOf(batch, {
        outcome: 'unknown',
        fault: { code: null, message },
        undone: false,
      });
    }
  }

  #noteTrial(): void {
    this.#trials += 1;
    if (this.#trials >= TRIALS_IN_A_ROW) this.#lack = null;
  }

  #settlementOf(batch: readonly Waiting[], reply: BatchReply): () => void {
    this.#hold = isHeld(reply) ? `another program holds the file: ${reply.fault.message}` : null;
    if (reply.outcome === 'committed') {
      if (batch.some(({ unit }) => isSpaceProbe(unit))) this.#noteTrial();
      return () => answerEach(batch, reply.units);
    }
    const { outcome, fault } = reply;
    if (isDiskFull(fault.code)) {
      this.#lack = `there is no space to write: ${fault.message}`;
      this.#trials = 0;
    }
    if (!isPassing(reply)) this.poisonWith(fault.message);
    const refusal = outcome === 'unknown' ? outcomeUnknown(fault) : unavailable(fault.message);
    return () => {
      for (const waiting of batch) waiting.reject(refusal);
    };
  }
}

function answerEach(batch: readonly Waiting[], replies: readonly UnitReply[]): void {
  for (const [index, waiting] of batch.entries()) {
    const reply = replies[index] ?? { fault: { code: null, message: 'no reply' } };
    if ('results' in reply) waiting.resolve(reply.results);
    else waiting.reject(new StatementError(reply.fault.message));
  }
}

/** Faults that end by themselves: space is freed, or another program releases the file. */
function isPassing(reply: Exclude<BatchReply, { outcome: 'committed' }>): boolean {
  const { code } = reply.fault;
  if (reply.outcome === 'unknown') return reply.undone && isDiskFull(code);
  return isDiskFull(code) || isHeld(reply) || isResult(code, RESULT.noMemory);
}

function isHeld(reply: BatchReply): reply is Exclude<BatchReply, { outcome: 'committed' }> {
  return reply.outcome !== 'committed' && isResult(reply.fault.code, RESULT.busy, RESULT.locked);
}

/** The writing thread needs little more memory than the rows of one batch. */
const RESOURCE_LIMITS = { maxYoungGenerationSizeMb: 4, maxOldGenerationSizeMb: 64 };

interface Asked {
  readonly resolve: (message: Message) => void;
  readonly reject: (fault: Error) => void;
}

/** The main thread's connection to the writing thread, with one request at a time. */
export class CommitThread implements BatchRunner {
  readonly broken: Promise<string>;
  /** The file or URI that other connections of this process have to open. */
  location = '';
  readonly #worker: Worker;
  readonly #auditKeys: AuditKeys;
  #sentAuditKey: Uint8Array | null = null;
  #asked: Asked | null = null;
  #ended: Error | null = null;
  #mayEnd = false;

  private constructor(auditKeys: AuditKeys, onLongLog: (bytes: number) => void) {
    this.#auditKeys = auditKeys;
    const worker = new Worker(new URL('./sqlite-worker.ts', import.meta.url), {
      resourceLimits: RESOURCE_LIMITS,
    });
    const { promise, resolve: onBroken } = Promise.withResolvers<string>();
    this.#worker = worker;
    this.broken = promise;
    worker.on('message', (message: Message) => {
      if (message.kind === 'broken') onBroken(message.fault.message);
      else if (message.kind === 'longLog') onLongLog(message.bytes);
      else this.#take()?.resolve(message);
    });
    worker.on('error', (error) => this.#end(toError(error)));
    worker.on('exit', (code) => {
      this.#end(new Error(`the writing thread ended with code ${code}`));
      if (!this.#mayEnd) onBroken('the writing thread has ended');
    });
  }

  /** @throws StoreOpenError */
  static async start(
    settings: WorkerSettings,
    auditKeys: AuditKeys,
    onLongLog: (bytes: number) => void = () => undefined,
  ): Promise<CommitThread> {
    const thread = new CommitThread(auditKeys, onLongLog);
    const opened = await thread.#ask({ kind: 'open', settings });
    if (opened.kind === 'opened') {
      thread.location = opened.location;
      return thread;
    }
    if (opened.kind !== 'refused') throw new Error(`asked to open, it answered ${opened.kind}`);
    thread.#mayEnd = true;
    throw openError(settings, opened.stage, opened.fault);
  }

  /** Rejects when the thread ends without an answer. */
  async run(units: readonly Unit[]): Promise<BatchReply> {
    const [auditKey = NO_KEY] = this.#auditKeys();
    const isOther = auditKey !== this.#sentAuditKey;
    this.#sentAuditKey = auditKey;
    const message = await this.#ask({ kind: 'batch', units, ...(isOther ? { auditKey } : {}) });
    if (message.kind !== 'batch') throw new Error(`the writing thread answered ${message.kind}`);
    return message.reply;
  }

  async flush(): Promise<void> {
    throwFault(await this.#ask({ kind: 'flush' }));
  }

  /** Resolves when the files are closed, the lock is released and the thread has ended. */
  async release(): Promise<void> {
    this.#mayEnd = true;
    const gone = once(this.#worker, 'exit');
    throwFault(await this.#ask({ kind: 'release' }));
    await gone;
  }

  /** Ends the thread without using the file again. */
  async abandon(): Promise<void> {
    this.#mayEnd = true;
    await this.#worker.terminate();
  }

  #ask(request: Request): Promise<Message> {
    if (this.#ended !== null) return Promise.reject(this.#ended);
    return new Promise((resolve, reject) => {
      this.#asked = { resolve, reject };
      // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread, no window
      this.#worker.postMessage(request);
    });
  }

  #end(reason: Error): void {
    this.#ended ??= reason;
    this.#take()?.reject(reason);
  }

  #take(): Asked | null {
    const asked = this.#asked;
    this.#asked = null;
    return asked;
  }
}

function throwFault(message: Message): void {
  if (message.kind === 'done' && message.fault !== null) throw new Error(message.fault.message);
}
