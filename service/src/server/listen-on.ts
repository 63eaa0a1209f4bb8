import { listenError } from '@miftah/schema/listen-error';
import type { FastifyInstance } from 'fastify';
import type { Config } from '../config/config.ts';
import type { InheritedSocket } from './inherited-sockets.ts';

/** @throws Error that says what to do */
export async function listenOn(
  app: FastifyInstance,
  { host, port }: Pick<Config, 'host' | 'port'>,
  socket: InheritedSocket | null,
): Promise<void> {
  // The framework would listen on a second address where the host is "localhost".
  const place = socket === null ? { host, port } : { ...socket, host: socket.address };
  await app.listen(place).catch((error: unknown) => {
    throw listenError(error, { host, port, names: ['HOST', 'PORT'] });
  });
}
