import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { Duplex } from 'node:stream';
import { text } from 'node:stream/consumers';
import type { AtEnd } from '../../../../service/test/support/at-end.ts';
import { findFreePort } from '../../../../service/test/support/programs/service-process.ts';

export interface Received {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
  /** The port of the proxy's side, which is another one for each connection. */
  readonly from: number | undefined;
}

/** In place of an instance of the service: it keeps what it receives, and dies when it is told to. */
export class FakeInstance {
  readonly port: number;
  readonly received: Received[] = [];
  isReady = true;
  /** What was sent through tunnels, which the service never opens. */
  readonly tunnelled: string[] = [];
  /** Whether it drops the connection after it has received a request. */
  dies = false;
  readonly #server = createServer((request, response) => {
    const answer = (body: string) => {
      const { method = '', url = '', headers, socket } = request;
      const from = socket.remotePort;
      if (url === '/readyz') return response.writeHead(this.isReady ? 200 : 503).end('{}');
      this.received.push({ method, url, headers, body, from });
      if (this.dies) return socket.destroy();
      return response.writeHead(200, { 'content-type': 'application/json' }).end('{}');
    };
    // A client that leaves is no fault.
    void text(request).then(answer, () => undefined);
  });

  constructor(port: number) {
    this.port = port;
    this.#server.on('connect', ({ method = '', url = '', headers }, socket: Duplex) => {
      this.received.push({ method, url, headers, body: '', from: undefined });
      socket.on('error', () => undefined);
      socket.on('data', (piece: Buffer) => this.tunnelled.push(piece.toString('latin1')));
      // The other half stays open, as in a tunnel.
      socket.end('HTTP/1.1 200 OK\r\n\r\n');
    });
  }

  async open(): Promise<void> {
    this.#server.listen(this.port, '127.0.0.1');
    await once(this.#server, 'listening');
  }

  close(): void {
    this.#server.close();
    this.#server.closeAllConnections();
  }
}

export async function openInstance(atEnd: AtEnd): Promise<FakeInstance> {
  const instance = new FakeInstance(await findFreePort());
  await instance.open();
  atEnd(() => instance.close());
  return instance;
}
