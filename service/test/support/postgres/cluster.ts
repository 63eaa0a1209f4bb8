import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, chownSync, mkdtempSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { folderInMemory } from '../in-memory.ts';
import { copyMadeData } from './made-data.ts';
import { type Owner, runnablePrograms, serverOwner } from './owner.ts';
import { copyAsStandby } from './standby-copy.ts';
import { quickVerifier } from './verifier.ts';

/** A standby accepts read-only connections. */
const READY = /database system is ready to accept (?:read-only )?connections/;
/** Another program may take the free port between our look and the start; and see `kill`. */
const START_TRIES = 20;
const KEPT_LOG_LINES = 40;
/** A server that does not end by itself within this time is ended by SIGQUIT. */
const STOP_LIMIT_MS = 10_000;

export interface ClusterOptions {
  /** The folder of `initdb` and `postgres`. */
  readonly programs: string;
  readonly password: string;
  /** Waits for the disk at each commit. Without it the tests are faster, and a crash loses data. */
  readonly isDurable: boolean;
  /** Further settings, as `postgresql.conf` names them. */
  readonly settings: Readonly<Record<string, string>>;
  /** URL of a running server on this machine, whose standby it shall be; null: a new one. */
  readonly follows: string | null;
  /** The folder with data of this password to begin with; null: initdb makes its own. */
  readonly made: string | null;
}

/** A PostgreSQL server with a temporary data folder, on a free port of 127.0.0.1. */
export class Cluster {
  readonly #folder: string;
  readonly #data: string;
  readonly #owner: Owner | undefined = serverOwner();
  readonly #options: ClusterOptions;
  #programs = '';
  #log: string[] = [];
  #server: ChildProcess | null = null;
  #port = 0;

  constructor(options: ClusterOptions) {
    this.#options = options;
    this.#folder = options.isDurable
      ? mkdtempSync(join(tmpdir(), 'miftah-postgres-'))
      : folderInMemory('postgres');
    this.#data = join(this.#folder, 'data');
  }

  /** Creates the data folder. */
  async initialise(): Promise<void> {
    if (this.#owner !== undefined) chmodSync(this.#folder, 0o711);
    this.#programs = runnablePrograms(this.#options.programs, this.#folder, this.#owner);
    const { follows, made } = this.#options;
    if (follows !== null) return this.follow(follows);
    mkdirSync(this.#data, { mode: 0o700 });
    if (this.#owner !== undefined) chownSync(this.#data, this.#owner.uid, this.#owner.gid);
    if (made === null) this.#runInitdb();
    else await copyMadeData(made, this.#data, this.#owner, () => this.#runInitdb());
  }

  /** Throws its own data away, and is a standby of the server with this URL at the next start. */
  async follow(url: string): Promise<void> {
    await this.kill();
    await copyAsStandby(url, this.#data, this.#owner);
  }

  #runInitdb(): void {
    const passwordFile = join(this.#folder, 'password');
    writeFileSync(passwordFile, `${quickVerifier(this.#options.password)}\n`, { mode: 0o600 });
    if (this.#owner !== undefined) chownSync(passwordFile, this.#owner.uid, this.#owner.gid);
    const flags = ['--username=postgres', '--auth=scram-sha-256', `--pwfile=${passwordFile}`];
    const locale = ['--encoding=UTF8', '--locale=C', '--no-sync'];
    const program = join(this.#programs, 'initdb');
    const { status, stderr, error } = spawnSync(program, [...flags, ...locale, '-D', this.#data], {
      ...this.#owner,
      cwd: this.#folder,
      encoding: 'utf8',
    });
    if (status !== 0) throw new Error(`${program} failed: ${error?.message ?? stderr}`);
  }

  /** @returns the port. A restart keeps the port. */
  async start(): Promise<number> {
    const isFirst = this.#port === 0;
    for (let tries = 1; ; tries += 1) {
      if (isFirst) this.#port = await freePort();
      const server = this.#spawn();
      if (await this.#becomesReady(server)) {
        this.#server = server;
        return this.#port;
      }
      if (tries === START_TRIES) throw new Error(`PostgreSQL does not start:\n${this.#lastLog()}`);
    }
  }

  #spawn(): ChildProcess {
    const settings = {
      listen_addresses: '127.0.0.1',
      port: String(this.#port),
      unix_socket_directories: '',
      lc_messages: 'C',
      max_connections: '200',
      shared_buffers: '64MB',
      ...(this.#options.isDurable ? {} : FAST),
      ...this.#options.settings,
    };
    const flags = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
    return spawn(join(this.#programs, 'postgres'), ['-D', this.#data, ...flags], {
      ...this.#owner,
      cwd: this.#folder,
      stdio: ['ignore', 'ignore', 'pipe'],
    });
  }

  #becomesReady(server: ChildProcess): Promise<boolean> {
    const { promise, resolve } = Promise.withResolvers<boolean>();
    if (server.stderr === null) throw new Error('the server has no log');
    createInterface(server.stderr).on('line', (line) => {
      this.#log = [...this.#log, line].slice(-KEPT_LOG_LINES);
      if (READY.test(line)) resolve(true);
    });
    server.once('error', ({ message }) => {
      this.#log.push(message);
      resolve(false);
    });
    server.once('exit', () => resolve(false));
    return promise;
  }

  #lastLog(): string {
    return this.#log.join('\n');
  }

  /** Ends the connections and the server, in good order. */
  async stop(): Promise<void> {
    await this.#end('SIGINT');
  }

  /**
   * As a crash of the machine does, for what the server knows: nothing is finished. Its other
   * processes end a moment later, and until then a new start is refused, and tried again.
   */
  async kill(): Promise<void> {
    await this.#end('SIGKILL');
  }

  async #end(signal: NodeJS.Signals): Promise<void> {
    const server = this.#server;
    this.#server = null;
    if (server === null || server.exitCode !== null || server.signalCode !== null) return;
    const ended = once(server, 'exit');
    server.kill(signal);
    // A test may have frozen it; then it gets no signal before this one.
    server.kill('SIGCONT');
    AbortSignal.timeout(STOP_LIMIT_MS).addEventListener('abort', () => server.kill('SIGQUIT'));
    await ended;
  }

  async remove(): Promise<void> {
    await this.stop();
    rmSync(this.#folder, { recursive: true, force: true, maxRetries: 5 });
  }
}

/** Nothing waits for the disk. */
const FAST = { fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off' };

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}
