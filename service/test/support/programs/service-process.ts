import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { get } from 'node:http';
import { createServer } from 'node:net';
import { join } from 'node:path';
import process from 'node:process';
import { setTimeout as wait } from 'node:timers/promises';
import { COMPILE_CACHE } from '../../../../scripts/compile-cache.mjs';
import { PID_FILE, serviceFolder } from '../canaries/run-folder.ts';
import { programFile } from '../../../../scripts/program-files.ts';

const SERVICE = programFile('service');
/** Space for what a start allocates. Node begins with 1 MB, and collects garbage until it has grown. */
const SPACE = '--min-semi-space-size=8';
export const SIMULATOR = programFile('simulator');

/** The pause between two checks of a starting program. */
const POLL_MS = 25;
/** Prevents waiting for ever; a busy machine needs seconds for a start. */
const START_LIMIT_MS = 120_000;
/**
 * Below the ports that systems use for outgoing connections, so that none is taken by chance. Each
 * worker of the run has a part of its own, or two of them find the same port before one listens.
 */
const PORTS = { from: 12_000, count: 18_000 };
const PARTS = 24;
const PORTS_OF_PART = PORTS.count / PARTS;
const PART = Number(process.env['VITEST_POOL_ID'] ?? 0) % PARTS;
const PORT_TRIES = 5;

export interface Exit {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

export interface ServiceOptions {
  /**
   * Settings in addition to HOST, PORT and DATA_DIR. Rate limits and the wait of a stop
   * are off by default, and the log has every level.
   */
  readonly settings?: Readonly<Record<string, string>>;
  /** The folder of an earlier start, for a second start on the same data. */
  readonly dataDir?: string;
  readonly port?: number;
  /** The program to run; by default the service. */
  readonly main?: string;
  /** With `--lan`, the address of this machine that it listens on alone. */
  readonly lan?: string;
  /** An open file for its standard output; by default one of its own, which `stdout` reads. */
  readonly output?: number;
}

/**
 * The real program in its own process. Its output and data are searched for secrets when the run
 * ends.
 */
export class ServiceProcess {
  readonly port: number;
  readonly origin: string;
  readonly dataDir: string;
  readonly exited: Promise<Exit>;
  readonly #child: ChildProcess;
  readonly #folder: string;
  /** A live service may serve the one name of its PUBLIC_URL, which is localhost here. */
  readonly #askedAs: string;

  constructor(port: number, options: ServiceOptions) {
    const { settings = {}, dataDir, main = SERVICE, lan } = options;
    this.#folder = serviceFolder('process', settings['PROVIDER'] === 'live');
    this.port = port;
    this.origin = `http://${lan ?? '127.0.0.1'}:${port}`;
    this.#askedAs = lan ?? 'localhost';
    this.dataDir = dataDir ?? join(this.#folder, 'data');
    const files = [this.#file('stdout'), this.#file('stderr')].map((file) => openSync(file, 'w'));
    const reach = lan === undefined ? {} : { HOST: lan };
    this.#child = spawn(process.execPath, [SPACE, main, ...(lan === undefined ? [] : ['--lan'])], {
      env: { ...environment(), PORT: String(port), DATA_DIR: this.dataDir, ...reach, ...settings },
      // Directly into files, so that no output of a killed process is lost.
      stdio: ['ignore', options.output ?? files[0], files[1]],
    });
    for (const file of files) closeSync(file);
    this.exited = exitOf(this.#child, join(this.#folder, PID_FILE));
  }

  get pid(): number {
    return this.#child.pid ?? 0;
  }

  get isRunning(): boolean {
    return this.#child.exitCode === null && this.#child.signalCode === null;
  }

  /** The exit code; null while it runs, and after a signal. */
  get code(): number | null {
    return this.#child.exitCode;
  }

  stdout(): string {
    return readFileSync(this.#file('stdout'), 'utf8');
  }

  stderr(): string {
    return readFileSync(this.#file('stderr'), 'utf8');
  }

  signal(name: NodeJS.Signals): void {
    this.#child.kill(name);
  }

  async stop(): Promise<Exit> {
    this.signal('SIGTERM');
    return this.exited;
  }

  async kill(): Promise<Exit> {
    this.signal('SIGKILL');
    return this.exited;
  }

  /** @throws Error with the program's output if it ends before it is ready */
  async ready(): Promise<void> {
    const limit = AbortSignal.timeout(START_LIMIT_MS);
    while (!(await isReady(this.#askedAs, this.port))) {
      if (!this.isRunning) throw new Error(`it did not start:\n${this.stdout()}${this.stderr()}`);
      limit.throwIfAborted();
      await wait(POLL_MS);
    }
  }

  /** The end of a start that has to fail. What becomes ready instead is killed: it has no code. */
  async refused(): Promise<Exit> {
    const served = this.ready().then(
      () => this.kill(),
      () => this.exited,
    );
    // Whoever else has its port may never answer.
    return Promise.race([this.exited, served]);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.kill();
  }

  #file(stream: string): string {
    return join(this.#folder, `${stream}.log`);
  }
}

/** Starts the program without waiting until it is ready, for callers that expect it to fail. */
export async function spawnService(options: ServiceOptions = {}): Promise<ServiceProcess> {
  return new ServiceProcess(options.port ?? (await findFreePort()), options);
}

/**
 * Starts the program and waits until it is ready. The caller must stop it: `await using`, or
 * for-test.ts.
 */
export async function startService(options: ServiceOptions = {}): Promise<ServiceProcess> {
  const service = await spawnService(options);
  try {
    await service.ready();
    return service;
  } catch (error) {
    await service.kill();
    throw error;
  }
}

/** Tests must not depend on the developer's environment. */
function environment(): Record<string, string> {
  const settings = { RATE_LIMITS: 'off', LOG_LEVEL: 'trace', DRAIN_TIME: '0s' };
  return { PATH: process.env['PATH'] ?? '', NODE_COMPILE_CACHE: COMPILE_CACHE, ...settings };
}

const running = new Set<ChildProcess>();
process.once('exit', () => {
  for (const child of running) child.kill('SIGKILL');
});

/**
 * If the process may still run, its file is kept: the end of the run ends such processes
 * (finish-run.ts).
 */
async function exitOf(child: ChildProcess, pidFile: string): Promise<Exit> {
  running.add(child);
  writeFileSync(pidFile, String(child.pid));
  const [code, signal] = (await once(child, 'exit')) as [number | null, NodeJS.Signals | null];
  running.delete(child);
  rmSync(pidFile, { force: true });
  return { code, signal };
}

function isReady(host: string, port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const asked = get({ host, port, path: '/readyz', agent: false }, (answer) => {
      answer.resume().once('end', () => resolve(answer.statusCode === 200));
    });
    asked.once('error', () => resolve(false));
  });
}

/** By chance, because another run of the tests may go on beside this one. */
let nextPort = Math.floor(Math.random() * PORTS_OF_PART);

export async function findFreePort(triesLeft = PORT_TRIES): Promise<number> {
  const port = PORTS.from + PART * PORTS_OF_PART + nextPort;
  nextPort = (nextPort + 1) % PORTS_OF_PART;
  const server = createServer();
  const listening = once(server, 'listening');
  server.listen(port, '127.0.0.1');
  try {
    await listening;
  } catch (error) {
    if (triesLeft === 0) throw error;
    return findFreePort(triesLeft - 1);
  }
  server.close();
  await once(server, 'close');
  return port;
}
