import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import type { BatchRunner } from './group-commit.ts';
import type { Unit } from '../sql/command.ts';
import { openError } from './open-faults.ts';
import type { BatchReply, Message, Request, SqlFault, WorkerSettings } from './worker-protocol.ts';

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
  #asked: Asked | null = null;
  #ended: Error | null = null;
  #mayEnd = false;

  private constructor(onLongLog: (bytes: number) => void) {
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
    onLongLog: (bytes: number) => void = () => undefined,
  ): Promise<CommitThread> {
    const thread = new CommitThread(onLongLog);
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
    const message = await this.#ask({ kind: 'batch', units });
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
  const fault: SqlFault | null = message.kind === 'done' ? message.fault : null;
  if (fault !== null) throw new Error(fault.message);
}

function toError(thrown: unknown): Error {
  return thrown instanceof Error ? thrown : new Error(String(thrown));
}
