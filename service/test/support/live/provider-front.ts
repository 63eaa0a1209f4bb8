import { once } from 'node:events';
import { createServer, request, type IncomingMessage, type ServerResponse } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import type { SecureContextOptions } from 'node:tls';
import { onTestFinished } from 'vitest';
import type { Rehearsal } from './rehearsal.ts';

const HOST = 'localhost';

interface Simulator {
  readonly port: number;
  /** The key that it asks for. */
  readonly key: string;
}

/** The gateway of a provider: it knows several keys of an application, and passes the calls on. */
export class ProviderFront {
  /** The keys that it accepts now. */
  accepted: ReadonlySet<string>;
  /** The keys of all calls, in their order. */
  readonly received: string[] = [];
  refused = 0;
  /** By key, those that were not answered yet. */
  readonly underWay = new Map<string, number>();
  readonly #tls: SecureContextOptions | null;
  #server: ReturnType<typeof createServer> | ReturnType<typeof createSecureServer> | null = null;
  #simulator: Simulator | null = null;
  #url = '';

  constructor(accepted: readonly string[], tls: SecureContextOptions | null = null) {
    this.accepted = new Set(accepted);
    this.#tls = tls;
  }

  get url(): string {
    return this.#url;
  }

  async open(): Promise<this> {
    const react = (asked: IncomingMessage, answer: ServerResponse) => this.#react(asked, answer);
    const server = this.#tls === null ? createServer(react) : createSecureServer(this.#tls, react);
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    onTestFinished(() => {
      server.closeAllConnections();
      server.close();
    });
    const address = server.address();
    if (address === null || typeof address === 'string') throw new Error('it has no port');
    const scheme = this.#tls === null ? 'http' : 'https';
    this.#url = `${scheme}://${HOST}:${address.port}`;
    this.#server = server;
    return this;
  }

  /** Passes calls on to the simulator. @param key the one that the simulator asks for */
  standBefore({ simulator }: Pick<Rehearsal, 'simulator'>, key: string): void {
    this.#simulator = { port: simulator.port, key };
    // The start of the service came before.
    this.refused = 0;
  }

  /** For the connections that are made from now on; the others end. */
  certifyAnew(tls: SecureContextOptions): void {
    if (this.#server === null || !('setSecureContext' in this.#server)) throw new Error('no TLS');
    this.#server.setSecureContext(tls);
    this.#server.closeAllConnections();
  }

  #react(asked: IncomingMessage, answer: ServerResponse): void {
    const key = String(asked.headers['app-key']);
    this.received.push(key);
    if (this.#simulator === null || !this.accepted.has(key)) {
      this.refused += 1;
      answer.writeHead(403, { 'content-type': 'text/plain' }).end('Authentication failed');
      return;
    }
    this.#count(key, 1);
    answer.once('close', () => this.#count(key, -1));
    passOn(this.#simulator, asked, answer);
  }

  #count(key: string, step: number): void {
    this.underWay.set(key, (this.underWay.get(key) ?? 0) + step);
  }
}

function passOn({ port, key }: Simulator, asked: IncomingMessage, answer: ServerResponse): void {
  const { method, url: path, headers } = asked;
  const own = { ...headers, 'app-key': key };
  const onward = request({ host: '127.0.0.1', port, method, path, headers: own }, (got) => {
    answer.writeHead(got.statusCode ?? 502, got.headers);
    got.pipe(answer);
  });
  onward.once('error', () => answer.destroy());
  answer.once('close', () => onward.destroy());
  asked.pipe(onward);
}
