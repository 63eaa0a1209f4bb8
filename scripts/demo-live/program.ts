import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import process from 'node:process';
import { setTimeout as wait } from 'node:timers/promises';

const LOOK_AGAIN_MS = 50;
/** Another program on this port may never answer, so each request has a limit. */
const LOOK_LIMIT_MS = 2000;
/** Protects against waiting for ever; a busy machine needs seconds to start a program. */
const START_LIMIT_MS = 60_000;
/** Longer than either program needs to finish requests in progress. */
const STOP_LIMIT_MS = 15_000;
/** How much of the latest output is kept; it is enough to see why a program ended. */
const SAID_MAX = 8000;

/**
 * The only variables taken from the caller's environment: the programs need them to run, or start
 * faster with them. Their settings must not come from there.
 */
const INHERITED = ['PATH', 'HOME', 'TMPDIR', 'TEMP', 'SystemRoot', 'NODE_COMPILE_CACHE'];

/** Programs that may still run; they are ended if this process exits without stopping them. */
const running = new Set<ChildProcess>();
process.once('exit', () => {
  for (const child of running) child.kill('SIGKILL');
});

/** A Node program in its own process, stopped by its process id. */
export class Program {
  readonly #name: string;
  readonly #child: ChildProcess;
  readonly #exited: Promise<string>;
  #said = '';
  #stopping: Promise<void> | null = null;

  constructor(name: string, main: string, settings: Readonly<Record<string, string>>) {
    this.#name = name;
    this.#child = spawn(process.execPath, [main], {
      env: { ...inherited(), ...settings },
      stdio: ['ignore', 'pipe', 'pipe'],
      // A terminal sends Ctrl-C to the whole process group. The programs are in groups of their
      // own, so that only we receive it and stop each of them once.
      detached: true,
    });
    running.add(this.#child);
    for (const stream of [this.#child.stdout, this.#child.stderr]) {
      stream?.setEncoding('utf8').on('data', (text: string) => this.#hear(text));
    }
    this.#exited = this.#end();
  }

  /** @throws Error with the program's output if it ends before it answers */
  async ready(port: number): Promise<void> {
    const limit = AbortSignal.timeout(START_LIMIT_MS);
    const address = `http://127.0.0.1:${port}/readyz`;
    while (!(await isAnswered(address))) {
      if (!running.has(this.#child)) await this.failed();
      if (limit.aborted) throw new Error(`${this.#name} was not ready in time:\n${this.#said}`);
      await wait(LOOK_AGAIN_MS);
    }
    // Another program may answer on the port that this one could not get.
    if (!running.has(this.#child)) await this.failed();
  }

  /** Never resolves; rejects when the program ends without having been told to. */
  async failed(): Promise<never> {
    const how = await this.#exited;
    if (this.#stopping !== null) return new Promise(() => undefined);
    throw new Error(`${this.#name} has ended (${how}):\n${this.#said.trim()}`);
  }

  stop(): Promise<void> {
    return (this.#stopping ??= this.#stop());
  }

  async #stop(): Promise<void> {
    if (!running.has(this.#child)) return;
    this.#child.kill('SIGTERM');
    const hung = AbortSignal.timeout(STOP_LIMIT_MS);
    hung.addEventListener('abort', () => this.#child.kill('SIGKILL'), { once: true });
    await this.#exited;
  }

  async #end(): Promise<string> {
    try {
      await once(this.#child, 'close');
      return this.#child.signalCode ?? `exit code ${this.#child.exitCode}`;
    } catch (error) {
      return error instanceof Error ? error.message : String(error);
    } finally {
      running.delete(this.#child);
    }
  }

  #hear(text: string): void {
    this.#said = (this.#said + text).slice(-SAID_MAX);
  }
}

function inherited(): Record<string, string> {
  const known = INHERITED.map((name) => [name, process.env[name] ?? ''] as const);
  return Object.fromEntries(known.filter(([, value]) => value !== ''));
}

async function isAnswered(address: string): Promise<boolean> {
  try {
    const answer = await fetch(address, { signal: AbortSignal.timeout(LOOK_LIMIT_MS) });
    await answer.text();
    return answer.ok;
  } catch {
    return false;
  }
}
