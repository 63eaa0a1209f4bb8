import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A program that reads a pipe and keeps what it has read: what a supervisor or `tee` does. */
export class LogReader {
  /** The end of the pipe for the program that logs. */
  readonly descriptor: number;
  readonly #folder = mkdtempSync(join(tmpdir(), 'miftah-log-'));
  readonly #program: ChildProcess;

  constructor() {
    const pipe = join(this.#folder, 'pipe');
    spawnSync('mkfifo', [pipe]);
    this.#program = spawn('sh', ['-c', 'exec cat pipe > lines'], { cwd: this.#folder });
    // Waits until the program has opened the other end.
    this.descriptor = openSync(pipe, 'w');
  }

  /** Called when the program that logs has the descriptor: the pipe ends with that program. */
  handOver(): void {
    closeSync(this.descriptor);
  }

  standStill(): void {
    this.#program.kill('SIGSTOP');
  }

  goOn(): void {
    this.#program.kill('SIGCONT');
  }

  async end(): Promise<void> {
    const ended = once(this.#program, 'exit');
    this.#program.kill('SIGKILL');
    await ended;
  }

  text(): string {
    return readFileSync(join(this.#folder, 'lines'), 'utf8');
  }

  [Symbol.dispose](): void {
    this.#program.kill('SIGKILL');
    rmSync(this.#folder, { recursive: true, force: true });
  }
}
