import { once } from 'node:events';
import { createServer, request, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { onTestFinished } from 'vitest';

/**
 * What is done with one request. `hold`: the answer is passed on when it is whole, as a proxy that
 * buffers does. `lose`: it takes effect, and its answer does not arrive. `refuse`: the connection is
 * cut before the service sees it.
 */
export type Meddling = 'pass' | 'hold' | 'lose' | 'refuse' | Forged;

/** An answer that the service has not given. */
export interface Forged {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

export interface Meddler {
  readonly origin: string;
  /** The requests that came, as `POST /token`, in their order. */
  readonly came: readonly string[];
}

/** A proxy before a service, for the test. `meddle` is asked about each request in its order. */
export async function openMeddler(
  { origin }: { readonly origin: string },
  meddle: (asked: string, index: number) => Meddling,
): Promise<Meddler> {
  const came: string[] = [];
  const server = createServer((asked, answer) => {
    const name = nameOf(asked);
    const index = came.filter((one) => one === name).length;
    came.push(name);
    void handle(origin, asked, answer, meddle(name, index)).catch(() => answer.destroy());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, came };
}

/** `GET /status/events`: the method and the path below the base address, without the id. */
function nameOf({ method = '', url = '' }: IncomingMessage): string {
  const path = url.replace('/api/v1', '').replace(/\/[\da-f]{8}-[\da-f-]{27}/, '');
  return `${method} ${path}`;
}

async function handle(
  origin: string,
  asked: IncomingMessage,
  answer: ServerResponse,
  meddling: Meddling,
): Promise<void> {
  const body = await buffer(asked);
  if (meddling === 'refuse') return void answer.destroy();
  if (typeof meddling === 'object') {
    answer.writeHead(meddling.status, meddling.headers).end(meddling.body ?? '');
    return;
  }
  const incoming = await forward(origin, asked, body, answer);
  if (meddling === 'pass') {
    answer.writeHead(incoming.statusCode ?? 0, incoming.headers);
    incoming.on('error', () => answer.destroy()).pipe(answer);
    return;
  }
  const whole = await buffer(incoming);
  if (meddling === 'lose') answer.destroy();
  else answer.writeHead(incoming.statusCode ?? 0, incoming.headers).end(whole);
}

async function forward(
  origin: string,
  asked: IncomingMessage,
  body: Buffer,
  answer: ServerResponse,
): Promise<IncomingMessage> {
  const { method, headers } = asked;
  const sent = request(origin + asked.url, {
    method,
    headers: { ...headers, host: new URL(origin).host },
    agent: false,
  });
  answer.once('close', () => sent.destroy());
  sent.end(body);
  const [incoming] = (await once(sent, 'response')) as [IncomingMessage];
  return incoming;
}
