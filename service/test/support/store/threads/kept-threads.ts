/**
 * The threads of stores in the process of a test, each kept for a next store: the start of a thread
 * takes more of the processor than most of what it then does. A thread whose store was not released
 * in good order is ended, as it would be without this, because it may still have its file. The
 * programs that tests start have a thread for each store.
 */

import { EventEmitter } from 'node:events';
import { syncBuiltinESMExports } from 'node:module';
import process from 'node:process';
import threads, { MessageChannel, type Worker, type WorkerOptions } from 'node:worker_threads';
import { BUNDLED_THREAD } from '../../../../../scripts/program-files.ts';
import type { Message, Request } from '../../../../src/store/sqlite/thread/worker-protocol.ts';

/** More than most tests have open at once. */
const MOST_FREE = 8;
const free: Worker[] = [];

/** What a store sees of its thread. */
class StoreThread extends EventEmitter {
  readonly #thread: Worker;
  readonly #port = new MessageChannel();
  #isReleased = false;
  #isOver = false;

  constructor(thread: Worker) {
    super();
    this.#thread = thread;
    const { port1, port2 } = this.#port;
    thread.on('error', this.#fail).on('exit', this.#end);
    port1.on('message', (message: Message) => this.#hear(message));
    port1.once('close', () => this.#close());
    thread.ref();
    thread.postMessage(port2, [port2]);
  }

  postMessage(message: Request): void {
    this.#isReleased = message.kind === 'release';
    this.#port.port1.postMessage(message);
  }

  terminate(): Promise<number> {
    return this.#thread.terminate();
  }

  #hear(message: Message): void {
    if (message.kind !== 'done' || message.fault !== null) this.#isReleased = false;
    this.emit('message', message);
  }

  readonly #fail = (error: unknown) => void this.emit('error', error);
  readonly #end = (code: number) => {
    this.#isOver = true;
    this.emit('exit', code);
  };

  #close(): void {
    const thread = this.#thread;
    if (this.#isOver) return;
    if (!this.#isReleased || free.length === MOST_FREE) {
      void thread.terminate();
      return;
    }
    thread.off('error', this.#fail).off('exit', this.#end);
    thread.unref();
    free.push(thread);
    this.#end(0);
  }
}

/** A file of set-up is evaluated for each test file, and this is done once in a worker. */
const IS_DONE = Symbol.for('threads of stores are kept');

function keepThreads(thread: string): void {
  Reflect.set(globalThis, IS_DONE, true);
  const kept = new URL('./kept-thread.mjs', thread);
  const construct = (one: typeof Worker, [file, options]: [string | URL, WorkerOptions?]) =>
    String(file) === thread
      ? new StoreThread(free.pop() ?? new one(kept, options))
      : new one(file, options);
  Object.assign(threads, { Worker: new Proxy(threads.Worker, { construct }) });
  syncBuiltinESMExports();
}

const bundled = process.env[BUNDLED_THREAD];
if (bundled !== undefined && !Reflect.has(globalThis, IS_DONE)) keepThreads(bundled);
