import { once } from 'node:events';
import {
  Agent,
  createServer,
  request,
  type IncomingMessage,
  type Server,
  type ServerResponse,
} from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { INSTANCE_HEADER } from '../programs/api-client.ts';

const CHECK_EVERY_MS = 100;
/** What one connection says is not passed on to the other. */
const OF_ONE_HOP = { connection: 'keep-alive' };

interface Answered {
  /** Of the instance. */
  readonly origin: string;
  readonly incoming: IncomingMessage;
  readonly body: Buffer;
}

/**
 * What operators put before the instances: it asks each for `/readyz` ten times a second, sends
 * requests to those that are ready, over connections that it keeps, and tries the next one when a
 * connection is refused. Whatever else breaks is not tried again, and breaks its client's request.
 */
export class LoadBalancer {
  /** Requests that were refused by an instance, and answered by the next one. */
  retried = 0;
  readonly #ready: Set<string>;
  readonly #origins: readonly string[];
  readonly #agent = new Agent({ keepAlive: true });
  readonly #server: Server;
  readonly #checks: NodeJS.Timeout;
  #turn = 0;

  private constructor(origins: readonly string[]) {
    this.#origins = origins;
    this.#ready = new Set(origins);
    this.#server = createServer((asked, answer) => void this.#forward(asked, answer));
    this.#checks = setInterval(() => void this.#check(), CHECK_EVERY_MS);
  }

  static async start(origins: readonly string[]): Promise<LoadBalancer> {
    const balancer = new LoadBalancer(origins);
    balancer.#server.listen(0, '127.0.0.1');
    await once(balancer.#server, 'listening');
    return balancer;
  }

  get origin(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  close(): void {
    clearInterval(this.#checks);
    this.#server.close();
    this.#server.closeAllConnections();
    this.#agent.destroy();
  }

  async #check(): Promise<void> {
    for (const origin of this.#origins) {
      const sent = request(`${origin}/readyz`, { agent: false }).end();
      const status = await statusOf(sent);
      if (status === 200) this.#ready.add(origin);
      else this.#ready.delete(origin);
    }
  }

  async #forward(asked: IncomingMessage, answer: ServerResponse): Promise<void> {
    try {
      const { origin, incoming, body } = await this.#exchange(asked, await buffer(asked));
      const headers = { ...incoming.headers, ...OF_ONE_HOP, [INSTANCE_HEADER]: origin };
      answer.writeHead(incoming.statusCode ?? 502, headers).end(body);
    } catch {
      answer.destroy();
    }
  }

  /** @throws Error of the last instance, or of one that broke the connection */
  async #exchange(asked: IncomingMessage, body: Buffer): Promise<Answered> {
    const [first, ...others] = this.#candidates();
    if (first === undefined) throw new Error('there are no instances');
    try {
      return await this.#send(first, asked, body);
    } catch (error) {
      const next = others.at(0);
      if (!isRefusal(error) || next === undefined) throw error;
      this.retried += 1;
      return this.#send(next, asked, body);
    }
  }

  /** The ready ones in turn, then the others. */
  #candidates(): string[] {
    this.#turn += 1;
    const at = this.#turn % this.#origins.length;
    const inTurn = [...this.#origins.slice(at), ...this.#origins.slice(0, at)];
    const isReady = (origin: string) => this.#ready.has(origin);
    return [...inTurn.filter(isReady), ...inTurn.filter((origin) => !isReady(origin))];
  }

  async #send(origin: string, asked: IncomingMessage, body: Buffer): Promise<Answered> {
    const { method, headers, url = '' } = asked;
    const passedOn = { ...headers, ...OF_ONE_HOP };
    const sent = request(origin + url, { method, headers: passedOn, agent: this.#agent });
    const answered = once(sent, 'response') as Promise<[IncomingMessage]>;
    sent.end(body);
    const [incoming] = await answered;
    return { origin, incoming, body: await buffer(incoming) };
  }
}

async function statusOf(sent: ReturnType<typeof request>): Promise<number | null> {
  try {
    const [answer] = (await once(sent, 'response')) as [IncomingMessage];
    answer.resume();
    return answer.statusCode ?? null;
  } catch {
    return null;
  }
}

/** Nothing was sent then. */
export function isRefusal(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ECONNREFUSED';
}
