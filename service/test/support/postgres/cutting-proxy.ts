import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import type { AtEnd } from '../at-end.ts';

/**
 * What happens at a message of the client:
 *
 *   before   both connections are reset, and the server does not get the message
 *   after    the server gets it; its answer is dropped, and the client's connection is reset
 *   silence  the server gets it, and the client hears nothing more
 *   ended    the server gets it; the client hears that COMMIT was done, and then, in place of the end
 *            of the answer, that an administrator ends the connection
 *   undone   the same, but it hears that the transaction may be run again
 *   misread  the server gets another word than COMMIT, which it does not understand
 */
export type Cut = 'before' | 'after' | 'silence' | 'ended' | 'undone' | 'misread';

/** The errors that come behind COMMIT (PostgreSQL's documentation, appendix A). */
const BEHIND_COMMIT: Partial<Record<Cut, string>> = { ended: '57P01', undone: '40001' };

/** The answer to COMMIT: its length, and the tag of the command. */
const COMMITTED = Buffer.from('C\0\0\0\u000bCOMMIT\0');

/** Stands between a client and a PostgreSQL server, and disturbs it at a given message. */
export class CuttingProxy {
  readonly url: string;
  /** Changes what the server says, in place. */
  change: (answer: Buffer) => void = () => undefined;
  /** How many parts of answers were not passed on, because of a silence. */
  withheld = 0;
  readonly #sockets: Socket[] = [];
  #plan: { readonly text: string; readonly cut: Cut } | null = null;

  constructor(url: string) {
    this.url = url;
  }

  /** Once, at the next message that contains the text. */
  cutAt(text: string, cut: Cut): void {
    this.#plan = { text, cut };
  }

  /** From now on nothing passes on the connections that there are, not even their end. */
  freeze(): void {
    for (const socket of this.#sockets) socket.pause();
  }

  join(client: Socket, server: Socket): void {
    this.#sockets.push(client, server);
    let cut: Cut | null = null;
    client.on('data', (data) => {
      cut ??= this.#cutFor(data);
      if (cut === 'before') reset(client, server);
      else server.write(cut === 'misread' ? misread(data) : data);
      if (cut === 'misread') cut = null;
    });
    server.on('data', (data: Buffer) => {
      if (cut === null) this.change(data);
      if (cut === null) client.write(data);
      else if (cut === 'after') reset(client, server);
      else if (cut === 'silence') this.withheld += 1;
      else endBehindCommit(client, data, BEHIND_COMMIT[cut]);
    });
    client.on('close', () => server.destroy());
    server.on('close', () => client.destroy());
  }

  #cutFor(data: Buffer | string): Cut | null {
    if (this.#plan === null || !data.includes(this.#plan.text)) return null;
    const { cut } = this.#plan;
    this.#plan = null;
    return cut;
  }
}

export async function openCuttingProxy(serverUrl: string, atEnd: AtEnd): Promise<CuttingProxy> {
  const target = new URL(serverUrl);
  const sockets = new Set<Socket>();
  const listener = createServer((client) => {
    const server = connect(Number(target.port), target.hostname);
    for (const socket of [client, server]) {
      sockets.add(socket);
      socket.on('error', () => undefined);
      socket.on('close', () => sockets.delete(socket));
    }
    proxy.join(client, server);
  }).listen(0, '127.0.0.1');
  await once(listener, 'listening');
  atEnd(() => {
    for (const socket of sockets) socket.destroy();
    listener.close();
  });
  const url = new URL(serverUrl);
  url.port = String((listener.address() as AddressInfo).port);
  const proxy = new CuttingProxy(url.href);
  return proxy;
}

function endBehindCommit(client: Socket, data: Buffer | string, state?: string): void {
  if (state === undefined) return;
  const bytes = Buffer.from(data);
  const at = bytes.indexOf(COMMITTED);
  if (at < 0) client.write(bytes);
  else client.end(Buffer.concat([bytes.subarray(0, at), COMMITTED, fatal(state)]));
}

function misread(data: Buffer | string): Buffer {
  const text = Buffer.from(data).toString('latin1');
  return Buffer.from(text.replaceAll('COMMIT\0', 'COMMAT\0'), 'latin1');
}

/** An error with which a backend ends (PostgreSQL's documentation, 55.7). */
function fatal(state: string): Buffer {
  const fields = Buffer.from(`SFATAL\0VFATAL\0C${state}\0Mended\0\0`);
  const head = Buffer.alloc(5);
  head.write('E');
  head.writeInt32BE(fields.length + 4, 1);
  return Buffer.concat([head, fields]);
}

function reset(...sockets: readonly Socket[]): void {
  for (const socket of sockets) socket.resetAndDestroy();
}
