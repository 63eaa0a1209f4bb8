import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync } from 'node:fs';
import { request } from 'node:http';
import { createServer } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import {
  cpuTimeOf,
  openFilesOf,
  residentBytesOf,
  threadTimesOf,
  type CpuTime,
  type ThreadTimes,
} from './process-usage.ts';

const RETRY_MS = 5;
const ANSWER_LIMIT_MS = 5000;
const START_LIMIT_MS = 20_000;

const ROOT = fileURLToPath(new URL('../../../', import.meta.url));
/** The program that `npm start` runs. */
const SERVICE = 'service/start.mjs';
const VARIANT = new URL('../server.ts', import.meta.url);
const FLOORS = new URL('./floors.ts', import.meta.url);
const STREAM_FLOOR = new URL('./stream-floor.ts', import.meta.url);
const PEER = new URL('./oidc/main.ts', import.meta.url);

export type Variant = 'sqlite' | 'memory' | 'singleCommits';
export type Floor = 'raw' | 'rawLogged' | 'fastify' | 'fastifyLogged';
export type Peer = 'oidcMemory' | 'oidcSqlite' | 'oidcStore';

/** Servers that are ended when the benchmark ends, even after an error. */
const running = new Set<ChildProcess>();
process.once('exit', () => {
  for (const child of running) child.kill('SIGKILL');
});

/** All load comes from one address. */
const LOADED = { RATE_LIMITS: 'off' } as const;
/** Live mode, whose figures are wanted, keeps no time lines. */
const AS_LIVE = { ...LOADED, TIME_LINES: 'off' } as const;

interface StartOptions {
  readonly settings?: Readonly<Record<string, string>>;
  readonly program?: string;
  /** Null: the log is written, and discarded. */
  readonly logFile?: string | null;
}

/** A tested server in its own process. */
export class ServerProcess {
  readonly port: number;
  readonly #child: ChildProcess;

  private constructor(port: number, child: ChildProcess) {
    this.port = port;
    this.#child = child;
  }

  /**
   * The service's real program.
   * @param more further settings, by their names in the environment
   */
  static async service(
    dataDir: string,
    more: Readonly<Record<string, string>> = {},
  ): Promise<ServerProcess> {
    const port = await freePort();
    const settings = { PORT: String(port), DATA_DIR: dataDir, ...AS_LIVE, ...more };
    return ServerProcess.#start([SERVICE], port, { settings });
  }

  /** As `npm start` runs it for whoever tries it: with time lines, and its log in a file. */
  static async asStarted(dataDir: string): Promise<ServerProcess> {
    const port = await freePort();
    const settings = { PORT: String(port), DATA_DIR: dataDir, ...LOADED };
    return ServerProcess.#start([SERVICE], port, { settings, logFile: `${dataDir}.log` });
  }

  /** The same, with strace recording its disk flushes. */
  static async traced(dataDir: string, file: string): Promise<ServerProcess> {
    const port = await freePort();
    const settings = { PORT: String(port), DATA_DIR: dataDir, ...AS_LIVE };
    const trace = ['-D', '-f', '-q', '-e', 'trace=fsync,fdatasync', '-o', file, process.execPath];
    return ServerProcess.#start([...trace, SERVICE], port, { settings, program: 'strace' });
  }

  /** The same, with a profile that is written into a folder at its end. */
  static async profiled(dataDir: string, folder: string): Promise<ServerProcess> {
    const port = await freePort();
    const settings = { PORT: String(port), DATA_DIR: dataDir, ...AS_LIVE };
    const profile = ['--cpu-prof', '--cpu-prof-dir', folder, '--cpu-prof-interval', '200'];
    return ServerProcess.#start([...profile, SERVICE], port, { settings });
  }

  /**
   * A program of this repository with settings of its own, PORT among them.
   * @param core the processor that it runs on; null: any
   */
  static async program(
    path: string,
    { settings, core }: { settings: Readonly<Record<string, string>>; core: number | null },
  ): Promise<ServerProcess> {
    const pinned = core === null ? [] : ['--cpu-list', String(core), process.execPath];
    const program = core === null ? process.execPath : 'taskset';
    return ServerProcess.#start([...pinned, path], Number(settings['PORT']), { settings, program });
  }

  /** @param waiters event streams and long polls at a time */
  static async variant(name: Variant, dataDir: string, waiters = 4000): Promise<ServerProcess> {
    const port = await freePort();
    const more = [String(port), dataDir, String(waiters)];
    const args = ['--expose-gc', fileURLToPath(VARIANT), name, ...more];
    return ServerProcess.#start(args, port);
  }

  static async streamFloor(): Promise<ServerProcess> {
    const port = await freePort();
    return ServerProcess.#start(['--expose-gc', fileURLToPath(STREAM_FLOOR), String(port)], port);
  }

  static async floor(name: Floor): Promise<ServerProcess> {
    const port = await freePort();
    return ServerProcess.#start([fileURLToPath(FLOORS), name, String(port)], port);
  }

  static async peer(name: Peer, dataDir: string): Promise<ServerProcess> {
    const port = await freePort();
    return ServerProcess.#start([fileURLToPath(PEER), name, String(port), dataDir], port);
  }

  static async #start(
    args: readonly string[],
    port: number,
    { settings = {}, program = process.execPath, logFile = null }: StartOptions = {},
  ): Promise<ServerProcess> {
    const log = logFile === null ? null : openSync(logFile, 'w');
    const env = { ...process.env, LOG_LEVEL: 'info', ...settings };
    const child = spawn(program, args, {
      cwd: ROOT,
      env,
      stdio: ['ignore', log ?? 'ignore', 'inherit', 'ipc'],
    });
    if (log !== null) closeSync(log);
    running.add(child);
    await firstAnswer(port, child);
    return new ServerProcess(port, child);
  }

  cpuTime(): CpuTime | null {
    return cpuTimeOf(this.#child.pid ?? 0);
  }

  threadTimes(): ThreadTimes | null {
    return threadTimesOf(this.#child.pid ?? 0);
  }

  /** The number of open files and sockets; null if the system does not provide it. */
  openFiles(): number | null {
    return openFilesOf(this.#child.pid ?? 0);
  }

  residentBytes(): number | null {
    return residentBytesOf(this.#child.pid ?? 0);
  }

  /** Only for a variant and the floor of streams: the bytes in use after a garbage collection. */
  heapBytes(): Promise<number> {
    return new Promise((resolve) => {
      this.#child.once('message', (bytes: number) => resolve(bytes));
      this.#child.send('heap');
    });
  }

  async stop(): Promise<void> {
    const gone = once(this.#child, 'exit');
    this.#child.kill('SIGTERM');
    await gone;
    running.delete(this.#child);
  }
}

async function firstAnswer(port: number, child: ChildProcess): Promise<void> {
  const deadline = performance.now() + START_LIMIT_MS;
  while (!(await answers(port))) {
    if (child.exitCode !== null) throw new Error('a server under test did not start');
    if (performance.now() > deadline) throw new Error('a server under test gives no answer');
    await pause(RETRY_MS);
  }
}

function answers(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const signal = AbortSignal.timeout(ANSWER_LIMIT_MS);
    const asked = request({ port, host: '127.0.0.1', path: '/livez', signal }, (response) => {
      response.resume();
      resolve(true);
    });
    asked.once('error', () => resolve(false)).end();
  });
}

export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  if (address === null || typeof address === 'string') throw new Error('no port');
  return address.port;
}
