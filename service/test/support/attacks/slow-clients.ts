import { connect, type Socket } from 'node:net';
import { ApiClient, type Answer } from '../programs/api-client.ts';
import type { ServiceProcess } from '../programs/service-process.ts';

const SECOND_MS = 1000;
/** How many connections are opened in one piece, so that the queue of the system does not overflow. */
const OPENED_AT_ONCE = 100;
const REQUEST =
  'POST /api/v1/start HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n' +
  'Content-Length: 15\r\n\r\n{"locale":"ar"}';

export interface SlowFigures {
  readonly sockets: number;
  /** Slow connections that the service has ended; each was opened again. */
  readonly ended: number;
  readonly good: number;
  /** Of requests of a good client, alone and beside the slow ones, in milliseconds. */
  readonly aloneP99Ms: number;
  readonly besideP99Ms: number;
  /** Answers of the good client that were not 200, and requests without one. */
  readonly faults: readonly string[];
}

/** `count` clients send a request at one byte a second and read nothing, beside one good client. */
export async function measureSlowClients(
  service: ServiceProcess,
  count: number,
  good: number,
): Promise<SlowFigures> {
  const client = new ApiClient(service.origin);
  const slow = new SlowSockets(service.port);
  try {
    const alone = await askInTurn(client, good);
    await slow.open(count);
    const beside = await askInTurn(client, good);
    return {
      sockets: count,
      ended: slow.ended,
      good,
      aloneP99Ms: percentile99(alone.times),
      besideP99Ms: percentile99(beside.times),
      faults: [...alone.faults, ...beside.faults],
    };
  } finally {
    slow.close();
    client.close();
  }
}

async function askInTurn(client: ApiClient, count: number) {
  const times: number[] = [];
  const faults: string[] = [];
  for (let asked = 0; asked < count; asked += 1) {
    const began = performance.now();
    const fault = await client.post('/start', { locale: 'ar' }).then(faultIn, String);
    if (fault !== null) faults.push(fault);
    times.push(performance.now() - began);
  }
  return { times, faults };
}

function faultIn({ status }: Answer): string | null {
  return status === 200 ? null : `a start was answered with ${status}`;
}

function percentile99(times: readonly number[]): number {
  const sorted = times.toSorted((one, other) => one - other);
  return Math.round(sorted[Math.floor(sorted.length * 0.99)] ?? 0);
}

class SlowSockets {
  /** Connections that the service has ended. */
  ended = 0;
  readonly #port: number;
  readonly #sent = new Map<Socket, number>();
  readonly #clock: NodeJS.Timeout;
  #isClosed = false;

  constructor(port: number) {
    this.#port = port;
    this.#clock = setInterval(() => this.#sendBytes(), SECOND_MS);
  }

  /** Resolves when all are connected. */
  async open(count: number): Promise<void> {
    for (let left = count; left > 0; left -= OPENED_AT_ONCE) {
      const some = Math.min(left, OPENED_AT_ONCE);
      await Promise.all(Array.from({ length: some }, () => this.#openOne()));
    }
  }

  close(): void {
    this.#isClosed = true;
    clearInterval(this.#clock);
    for (const socket of this.#sent.keys()) socket.destroy();
  }

  #openOne(): Promise<void> {
    const socket = connect(this.#port, '127.0.0.1').pause();
    this.#sent.set(socket, 0);
    socket.on('error', () => undefined);
    socket.once('close', () => {
      this.#sent.delete(socket);
      if (this.#isClosed) return;
      this.ended += 1;
      void this.#openOne();
    });
    return new Promise((resolve) => {
      socket.once('connect', resolve);
      socket.once('close', () => resolve());
    });
  }

  #sendBytes(): void {
    for (const [socket, sent] of this.#sent) {
      if (!socket.writable) continue;
      socket.write(REQUEST.charAt(sent % REQUEST.length));
      this.#sent.set(socket, sent + 1);
    }
  }
}
