import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import type { AtEnd } from '../at-end.ts';

/** Passes connections on to a service, until it is told to reset them. */
export interface TcpFront {
  readonly origin: string;
  /** Resets what is open, and each new connection until `mend`. */
  cut(): void;
  mend(): void;
}

export async function openTcpFront(serviceOrigin: string, atEnd: AtEnd): Promise<TcpFront> {
  const { hostname, port: target } = new URL(serviceOrigin);
  const open = new Set<Socket>();
  let isCut = false;
  const server = createServer((client) => {
    if (isCut) return void client.resetAndDestroy();
    const service = connect(Number(target), hostname);
    for (const [one, other] of [
      [client, service],
      [service, client],
    ] as const) {
      open.add(one);
      one
        .on('error', () => undefined)
        .once('close', () => {
          open.delete(one);
          other.destroy();
        });
      one.pipe(other);
    }
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const resetAll = () => {
    for (const socket of open) socket.resetAndDestroy();
  };
  atEnd(() => {
    resetAll();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return {
    origin: `http://127.0.0.1:${port}`,
    cut() {
      isCut = true;
      resetAll();
    },
    mend: () => void (isCut = false),
  };
}
