import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import { join } from 'node:path';
import process from 'node:process';
import { createInterface } from 'node:readline';
import { COMPILE_CACHE } from '../../../../scripts/compile-cache.mjs';
import { PID_FILE, serviceFolder } from '../canaries/run-folder.ts';
import { programFile } from '../../../../scripts/program-files.ts';
import { findFreePort } from './service-process.ts';

/** Starts the service at each line of its input, and has the sockets as descriptors 3 and 4. */
const SUPERVISOR = `
while read -r _; do
  sh -c 'echo "$$"; LISTEN_PID=$$ LISTEN_FDS=2 exec "$0" "$1" >>"$2/stdout.log" 2>>"$2/stderr.log"' "$@"
  echo "$?"
done`;

/**
 * Two ports that a supervisor holds, as systemd does, and the service that it starts on them, again
 * and again. The supervisor is a shell, because a process of Node accepts connections itself.
 */
export class HeldPorts {
  readonly api: number;
  readonly metrics: number;
  readonly dataDir: string;
  readonly #folder = serviceFolder('process', false);
  readonly #shell: ChildProcess;
  readonly #lines: AsyncIterator<string>;
  #pid = 0;

  private constructor(servers: readonly [Server, Server], settings: Record<string, string>) {
    const [api, metrics] = servers;
    this.api = portOf(api);
    this.metrics = portOf(metrics);
    this.dataDir = join(this.#folder, 'data');
    const args = ['-c', SUPERVISOR, 'sh', process.execPath, programFile('service'), this.#folder];
    this.#shell = spawn('sh', args, {
      env: {
        PATH: process.env['PATH'] ?? '',
        NODE_COMPILE_CACHE: COMPILE_CACHE,
        RATE_LIMITS: 'off',
        DRAIN_TIME: '0s',
        DATA_DIR: this.dataDir,
        PORT: String(this.api),
        METRICS_PORT: String(this.metrics),
        ...settings,
      },
      stdio: ['pipe', 'pipe', 'ignore', descriptorOf(api), descriptorOf(metrics)],
    });
    // Before this process can accept a connection.
    for (const server of servers) server.close();
    if (this.#shell.stdout === null) throw new Error('the supervisor has no output');
    this.#lines = createInterface({ input: this.#shell.stdout })[Symbol.asyncIterator]();
  }

  static async open(settings: Record<string, string> = {}): Promise<HeldPorts> {
    return new HeldPorts([await listening(), await listening()], settings);
  }

  /** Does not wait until the service listens. */
  async start(): Promise<void> {
    this.#shell.stdin?.write('\n');
    this.#pid = Number(await this.#line());
    writeFileSync(join(this.#folder, PID_FILE), String(this.#pid));
  }

  stop(): void {
    process.kill(this.#pid, 'SIGTERM');
  }

  /** @returns its exit code */
  async ended(): Promise<number> {
    const code = Number(await this.#line());
    this.#pid = 0;
    rmSync(join(this.#folder, PID_FILE));
    return code;
  }

  stderr(): string {
    return readFileSync(join(this.#folder, 'stderr.log'), 'utf8');
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const exited = once(this.#shell, 'exit');
    this.#shell.stdin?.end();
    if (this.#pid !== 0) {
      process.kill(this.#pid, 'SIGKILL');
      await this.ended();
    }
    await exited;
  }

  async #line(): Promise<string> {
    const line = await this.#lines.next();
    if (line.done === true) throw new Error('the supervisor has ended');
    return line.value;
  }
}

async function listening(): Promise<Server> {
  const server = createServer().listen(await findFreePort(), '127.0.0.1');
  await once(server, 'listening');
  return server;
}

function portOf(server: Server): number {
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port was given');
  return address.port;
}

/** Node hands servers over only to programs of Node. */
function descriptorOf(server: Server): number {
  const handle: unknown = Reflect.get(server, '_handle');
  const fd: unknown =
    typeof handle === 'object' && handle !== null ? Reflect.get(handle, 'fd') : -1;
  if (typeof fd !== 'number' || fd < 0) throw new Error('the server has no descriptor');
  return fd;
}
