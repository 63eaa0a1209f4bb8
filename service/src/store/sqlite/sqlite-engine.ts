import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { Refusal } from '../../errors/refusal.ts';
import type { StoreHealth } from '../ports/store.port.ts';
import type { AuditKeys } from '../../platform/keys/server-keys.port.ts';
import { NO_KEY } from '../../values/secret.ts';
import type { SqlEngine } from '../sql/engine.ts';
import type { Command, Read, Unit } from '../sql/statement.ts';
import { UnderWay } from '../sql/under-way.ts';
import type { BatchRunner, GroupCommit } from './group-commit.ts';
import { isResult, RESULT } from './thread/result-codes.ts';
import { faultOf } from './thread/sql-fault.ts';
import { SPACE_PROBE, type SqliteReader } from './thread/sqlite-connection.ts';
import { openError, toError } from './sqlite-faults.ts';
import type { BatchReply, Message, Request, WorkerSettings } from './thread/worker-protocol.ts';

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
  readonly #underWay = new UnderWay();
  #closing: Promise<void> | null = null;

  constructor({ reader, thread, writes }: SqliteParts) {
    this.#reader = reader;
    this.#thread = thread;
    this.#writes = writes;
  }

  run<Result>(command: Command<Result>): Promise<Result> {
    const { steps, audit, isPatient } = command;
    return this.#underWay.answer(command, this.#writes.submit({ steps, audit }, isPatient));
  }

  /** Resolves when the commands that have begun are done. */
  settled(): Promise<void> {
    return this.#underWay.settled();
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
    const worker = new Worker(new URL('./thread/sqlite-worker.ts', import.meta.url), {
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
