import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { get } from 'node:http';
import { connect, type Socket } from 'node:net';
import { promisify } from 'node:util';

const KILOBYTE = 1024;

/** Sockets that send data and read nothing. */
export class UnreadSockets {
  readonly #sockets: readonly Socket[];

  private constructor(sockets: readonly Socket[]) {
    this.#sockets = sockets;
  }

  static async open(port: number, count: number, bytes: string): Promise<UnreadSockets> {
    const opening = Array.from({ length: count }, () => openUnread(port, bytes));
    return new UnreadSockets(await Promise.all(opening));
  }

  close(): void {
    for (const socket of this.#sockets) socket.destroy();
  }
}

async function openUnread(port: number, bytes: string): Promise<Socket> {
  const socket = connect(port, '127.0.0.1');
  // The service is expected to close it.
  socket.on('error', () => undefined);
  await once(socket, 'connect');
  socket.pause().write(bytes, 'latin1');
  return socket;
}

/** As many copies of the request as fit into this many bytes. */
export function repeated(request: string, bytes: number): string {
  return request.repeat(Math.floor(bytes / request.length));
}

/** Resident memory of a process, in bytes; NaN when there is no such process. */
export async function residentMemory(pid: number): Promise<number> {
  const said = promisify(execFile)('ps', ['-o', 'rss=', '-p', String(pid)]);
  const { stdout } = await said.catch(() => ({ stdout: 'none' }));
  return Number(stdout) * KILOBYTE;
}

/** The time of the slowest of `count` requests to `/livez`, in milliseconds. */
export async function slowestLivez(port: number, count: number): Promise<number> {
  let slowest = 0;
  for (let asked = 0; asked < count; asked += 1) {
    const started = performance.now();
    await askLivez(port);
    slowest = Math.max(slowest, performance.now() - started);
  }
  return slowest;
}

/** @throws Error unless the answer is 200 */
async function askLivez(port: number): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const asked = get({ port, host: '127.0.0.1', path: '/livez', agent: false }, (answer) => {
    if (answer.statusCode !== 200) reject(new Error(`/livez says ${answer.statusCode}`));
    answer.resume().once('end', resolve);
  });
  asked.once('error', reject);
  await promise;
}

/** The processor time that a process has used so far, in seconds. */
export async function cpuSeconds(pid: number): Promise<number> {
  const { stdout } = await promisify(execFile)('ps', ['-o', 'time=', '-p', String(pid)]);
  return stdout
    .trim()
    .split(/[-:]/)
    .map(Number)
    .reduceRight((sum, part, index, all) => sum + part * (UNITS[all.length - 1 - index] ?? 0), 0);
}

/** The lengths of a second, a minute, an hour and a day, in seconds. */
const UNITS = [1, 60, 3600, 86_400];
