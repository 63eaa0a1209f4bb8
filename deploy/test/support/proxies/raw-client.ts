import { connect, type ConnectionOptions, type TLSSocket } from 'node:tls';
import { until } from '../../../../service/test/support/programs/until.ts';
import { wayTo, type From } from './ask.ts';
import type { Proxy } from './open-proxy.ts';

/** A TLS connection for bytes that no HTTP client would send. */
export class RawClient {
  text = '';
  isClosed = false;
  readonly socket: TLSSocket;

  constructor(proxy: Proxy, from: From = {}) {
    this.socket = connect({ ...wayTo(proxy, from), ALPNProtocols: ['http/1.1'] });
    this.socket.setEncoding('latin1').setNoDelay();
    this.socket.on('data', (piece: string) => (this.text += piece));
    this.socket.on('error', () => undefined);
    this.socket.once('close', () => (this.isClosed = true));
  }

  /** Resolves when the system has taken the bytes, or the connection is over. */
  write(bytes: string): Promise<void> {
    return new Promise((resolve) => {
      const done = () => {
        this.socket.removeListener('close', done);
        resolve();
      };
      this.socket.once('close', done);
      this.socket.write(bytes, 'latin1', done);
    });
  }

  closed(): Promise<void> {
    return until(() => this.isClosed);
  }

  close(): void {
    this.socket.destroy();
  }
}

/** Sends bytes, and reads until the proxy closes the connection. */
export async function exchange(proxy: Proxy, bytes: string, from: From = {}): Promise<string> {
  const client = new RawClient(proxy, from);
  await client.write(bytes);
  await client.closed();
  return client.text;
}

/** Sends all of it before it reads anything. @returns the first answer */
export async function sendBeforeReading(
  proxy: Proxy,
  bytes: string,
  from: From = {},
): Promise<string> {
  const client = new RawClient(proxy, from);
  client.socket.pause();
  await client.write(bytes);
  client.socket.resume();
  await until(() => client.isClosed || answersIn(client.text).length > 0);
  client.close();
  return client.text;
}

export interface ReadAnswer {
  readonly status: number;
  readonly head: string;
  readonly body: string;
}

/** The complete answers in what was read: each has a length here, or ends with the connection. */
export function answersIn(text: string): readonly ReadAnswer[] {
  const answers: ReadAnswer[] = [];
  let rest = text;
  for (;;) {
    const end = rest.indexOf('\r\n\r\n');
    if (end === -1) return answers;
    const head = rest.slice(0, end);
    const length = Number(/^content-length: (\d+)/im.exec(head)?.[1] ?? 0);
    const body = rest.slice(end + 4, end + 4 + length);
    if (body.length < length) return answers;
    answers.push({ status: Number(head.split(' ')[1]), head, body });
    rest = rest.slice(end + 4 + length);
  }
}

/** @returns the ticket with which TLS 1.2 would go on at the next connection */
export function ticketOf(proxy: Proxy): Promise<Buffer | undefined> {
  return new Promise((resolve, reject) => {
    const socket = connect({ ...wayTo(proxy, {}), maxVersion: 'TLSv1.2' });
    socket.once('error', reject);
    socket.once('secureConnect', () => {
      resolve(socket.getTLSTicket());
      socket.destroy();
    });
  });
}

/** @returns the version that was agreed on */
export function shakeHands(proxy: Proxy, options: ConnectionOptions): Promise<string | null> {
  return new Promise((resolve, reject) => {
    const socket = connect({ ...wayTo(proxy, {}), ...options });
    socket.once('error', reject);
    socket.once('secureConnect', () => {
      resolve(socket.getProtocol());
      socket.destroy();
    });
  });
}
