import { once } from 'node:events';
import { createServer, type AddressInfo, type Socket } from 'node:net';
import type { AtEnd } from '../at-end.ts';

/** A receiver that answers by bytes, right or wrong. */
export interface RawReceiver {
  readonly address: string;
  /** The body of each request, in the order of arrival, with the number of its connection. */
  readonly requests: readonly (readonly [connection: number, body: string])[];
  /** How many connections have arrived. */
  readonly connections: () => number;
  /** How many are there now. */
  readonly open: () => number;
}

interface Options {
  /** @param request how many came before it, on all connections */
  readonly answer: (socket: Socket, request: number) => void;
  readonly onConnection?: (socket: Socket) => void;
  readonly port?: number;
}

/** By http on this machine. Requests are short, and each is one piece. */
export async function rawReceiver(
  { answer, onConnection, port = 0 }: Options,
  atEnd: AtEnd,
): Promise<RawReceiver> {
  const requests: [number, string][] = [];
  const sockets = new Set<Socket>();
  let connections = 0;
  const server = createServer((socket) => {
    const connection = (connections += 1);
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
    socket.on('error', () => undefined);
    socket.setNoDelay(true);
    socket.on('data', (bytes) => {
      requests.push([connection, bytes.toString().split('\r\n\r\n')[1] ?? '']);
      answer(socket, requests.length - 1);
    });
    onConnection?.(socket);
  });
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  atEnd(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  return { address, requests, connections: () => connections, open: () => sockets.size };
}
