import { listenError } from '@miftah/schema/listen-error';
import type { FastifyInstance } from 'fastify';
import type { InheritedSocket } from './inherited-sockets.ts';

interface Address {
  readonly host: string;
  readonly port: number;
  /** The settings of host and port. */
  readonly names: readonly [string, string];
}

/** @throws Error that says what to do */
export async function listenOn(
  app: FastifyInstance,
  { host, port, names }: Address,
  socket: InheritedSocket | null,
): Promise<void> {
  // The framework would listen on a second address where the host is "localhost".
  const place = socket === null ? { host, port } : { ...socket, host: socket.address };
  await app.listen(place).catch((error: unknown) => {
    throw listenError(error, { host, port, names });
  });
}
