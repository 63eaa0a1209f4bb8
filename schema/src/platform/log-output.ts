import { EventEmitter } from 'node:events';
import { closeSync, constants, fstatSync, openSync, readSync, write, writeSync } from 'node:fs';
import process from 'node:process';
import { isatty } from 'node:tty';

/** In characters. What comes while so much waits is lost. A line of a request has 200. */
const MOST_WAITING = 1024 * 1024;
/** Between two writes to a file, which another thread makes. */
const GATHER_MS = 5;
/** The pauses between tries double from the first to the last. */
const FIRST_PAUSE_MS = 10;
const LAST_PAUSE_MS = 1000;
/** How long a process that ends waits for what can't be written at once. */
const END_MS = 250;
const END_PAUSE_MS = 10;

/** What was lost while the log could not be written. */
export interface LogGap {
  readonly lines: number;
  /** The system's name of the latest fault. `EAGAIN`: whoever reads it stood still. */
  readonly reason: string;
}

export interface LogEvents {
  /** A write has failed; it is tried again. A reader that is only slow is no failure. */
  readonly failed: [];
  /** A line is lost. */
  readonly lost: [];
  /** After failures or losses, everything that waited is written. */
  readonly restored: [gap: LogGap];
}

/**
 * Where the log of a program goes, such as standard output. `write` never fails and never waits:
 * lines wait in memory, up to a limit, while a disk is full or a reader stands still. Their order is
 * kept, and a line that was written in part is completed before the next one.
 *
 * The lines of one turn of the event loop are written at once, because a write costs a tenth of a
 * small request. One to a file costs several times as much, because another thread makes it: what
 * comes soon after it waits some milliseconds, so that hundreds of lines share the next one. At most
 * one write is under way: each that waits holds one of Node's four threads.
 */
export class LogOutput extends EventEmitter<LogEvents> {
  readonly #target: Target;
  #waiting = '';
  /** What is still to be written of the lines that were taken last. */
  #rest: Buffer = Buffer.alloc(0);
  #state: 'idle' | 'planned' | 'writing' | 'gathering' | 'pausing' = 'idle';
  #pauseMs = FIRST_PAUSE_MS;
  #lost = 0;
  #fault: string | null = null;
  #drained: (() => void)[] = [];

  constructor(target: Target) {
    super();
    this.#target = target;
    if (target.endsInsideLine) this.#waiting = '\n';
  }

  /** @param text whole lines */
  write(text: string): void {
    // After a loss nothing is taken until all that waited is written: there is one gap, in its place.
    // Where nothing waits, a text of any length is taken: no write would follow its loss.
    const waiting = this.#size();
    if (this.#lost > 0 || (waiting > 0 && waiting + text.length > MOST_WAITING)) {
      this.#lost += 1;
      this.emit('lost');
      return;
    }
    this.#waiting += text;
    if (this.#state !== 'idle') return;
    this.#state = 'planned';
    setImmediate(() => this.#writeNext());
  }

  /** Resolves when everything is written, or after this time. */
  async drain(limitMs: number): Promise<void> {
    if (this.#size() === 0) return;
    await new Promise<void>((resolve) => {
      const limit = setTimeout(resolve, limitMs);
      this.#drained.push(() => {
        clearTimeout(limit);
        resolve();
      });
    });
  }

  /** The last chance of a process that ends: it can wait for nothing that takes longer. */
  writeAtEnd(): void {
    let limitMs = END_MS;
    if (this.#state === 'writing') {
      // Nobody will say how that went. Unless something holds it, it is over after this.
      limitMs = END_PAUSE_MS;
      pauseProcess(limitMs);
      const { isFile, descriptor } = this.#target;
      if (!isFile) return;
      // It may have ended inside a line, as on a full disk.
      const isWhole = endsWithLine(descriptor, fstatSync(descriptor).size);
      this.#rest = Buffer.from(isWhole ? '' : '\n');
    }
    if (!this.#writeWaiting(limitMs)) return;
    // Whoever hears of a gap writes the line that tells of it.
    this.#tellRestored();
    this.#writeWaiting(limitMs);
  }

  /** @returns whether everything is written */
  #writeWaiting(limitMs: number): boolean {
    let leftMs = limitMs;
    let rest = Buffer.concat([this.#rest, Buffer.from(this.#waiting)]);
    while (rest.length > 0) {
      const { count, fault } = writeNow(this.#target.descriptor, rest);
      rest = rest.subarray(count);
      if (fault === null) continue;
      if (fault !== 'EAGAIN' || leftMs <= 0) return false;
      pauseProcess(END_PAUSE_MS);
      leftMs -= END_PAUSE_MS;
    }
    this.#rest = rest;
    this.#waiting = '';
    return true;
  }

  #size(): number {
    return this.#rest.length + this.#waiting.length;
  }

  #writeNext(): void {
    while (this.#size() > 0) {
      if (this.#rest.length === 0) {
        this.#rest = Buffer.from(this.#waiting);
        this.#waiting = '';
      }
      this.#state = 'writing';
      if (this.#target.canWait) {
        write(this.#target.descriptor, this.#rest, null, (error, count) => {
          if (!this.#goesOn({ count, fault: error === null ? null : codeOf(error) })) return;
          if (this.#rest.length > 0) this.#writeNext();
          else this.#gather();
        });
        return;
      }
      if (!this.#goesOn(writeNow(this.#target.descriptor, this.#rest))) return;
    }
    this.#state = 'idle';
    this.#tellDrained();
  }

  #gather(): void {
    this.#state = 'gathering';
    setTimeout(() => this.#writeNext(), GATHER_MS).unref();
    if (this.#size() === 0) this.#tellDrained();
  }

  #tellDrained(): void {
    for (const resolve of this.#drained.splice(0)) resolve();
  }

  /** @returns whether the next write may follow at once */
  #goesOn({ count, fault }: Written): boolean {
    if (fault !== null || count === 0) {
      this.#tryLater(fault ?? 'EAGAIN');
      return false;
    }
    this.#rest = this.#rest.subarray(count);
    this.#pauseMs = FIRST_PAUSE_MS;
    if (this.#rest.length === 0) this.#tellRestored();
    return true;
  }

  #tryLater(fault: string): void {
    const isSlow = fault === 'EAGAIN' && this.#pauseMs < LAST_PAUSE_MS;
    if (!isSlow) {
      this.#fault = fault;
      this.emit('failed');
    }
    this.#state = 'pausing';
    // The log alone does not keep a process running.
    setTimeout(() => this.#writeNext(), this.#pauseMs).unref();
    this.#pauseMs = Math.min(2 * this.#pauseMs, LAST_PAUSE_MS);
  }

  #tellRestored(): void {
    const lines = this.#lost;
    // What waited before the first lost line comes before the line that tells of it.
    if (lines > 0 && this.#waiting !== '') return;
    if (lines === 0 && this.#fault === null) return;
    const reason = this.#fault ?? 'EAGAIN';
    this.#lost = 0;
    this.#fault = null;
    this.emit('restored', { lines, reason });
  }
}

/** @returns the log's way to an open file; what still waits when the process ends is written then */
export function openLogOutput(descriptor: number): LogOutput {
  const output = new LogOutput(targetOf(descriptor));
  process.on('exit', () => output.writeAtEnd());
  return output;
}

interface Target {
  readonly descriptor: number;
  /** Whether a write may take long. It is then made by another thread. */
  readonly canWait: boolean;
  readonly isFile: boolean;
  /** An earlier process has written only the beginning of its last line. */
  readonly endsInsideLine: boolean;
}

/**
 * A write to a pipe, a socket or a terminal must never wait: a thread that does so for a reader that
 * stands still would keep the process from ending.
 */
function targetOf(descriptor: number): Target {
  const found = fstatSync(descriptor);
  const target = { descriptor, isFile: found.isFile(), endsInsideLine: false };
  if (found.isFIFO() || found.isSocket()) {
    return { ...target, canWait: !askNodeNotToWait(descriptor) };
  }
  if (isatty(descriptor)) {
    const { O_WRONLY, O_NONBLOCK, O_NOCTTY } = constants;
    const own = reopen(descriptor, O_WRONLY | O_NONBLOCK | O_NOCTTY);
    return own === null
      ? { ...target, canWait: true }
      : { ...target, descriptor: own, canWait: false };
  }
  const endsInsideLine = target.isFile && !endsWithLine(descriptor, found.size);
  return { ...target, canWait: true, endsInsideLine };
}

/**
 * Except on Windows, Node makes a pipe or a socket that a program prints to one that never waits
 * when its stream is first asked for, and puts it back when the process ends.
 */
function askNodeNotToWait(descriptor: number): boolean {
  const stream = descriptor === process.stderr.fd ? process.stderr : process.stdout;
  return stream.fd === descriptor && process.platform !== 'win32';
}

/**
 * The same terminal or file, opened once more: other programs share the descriptor that was
 * inherited, and what is set there is set for all of them.
 * @returns null where the system has no such way, or the right is missing
 */
function reopen(descriptor: number, flags: number): number | null {
  if (process.platform !== 'linux') return null;
  try {
    return openSync(`/proc/self/fd/${descriptor}`, flags);
  } catch {
    return null;
  }
}

function endsWithLine(descriptor: number, size: number): boolean {
  if (size === 0) return true;
  const reader = reopen(descriptor, constants.O_RDONLY);
  if (reader === null) return true;
  try {
    const last = Buffer.alloc(1);
    readSync(reader, last, 0, 1, size - 1);
    return last.toString() === '\n';
  } catch {
    return true;
  } finally {
    closeSync(reader);
  }
}

interface Written {
  readonly count: number;
  readonly fault: string | null;
}

function writeNow(descriptor: number, bytes: Buffer): Written {
  try {
    return { count: writeSync(descriptor, bytes), fault: null };
  } catch (error) {
    return { count: 0, fault: codeOf(error) };
  }
}

function codeOf(error: unknown): string {
  const code = error instanceof Error ? (error as NodeJS.ErrnoException).code : undefined;
  return code ?? 'unknown';
}

function pauseProcess(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
}
