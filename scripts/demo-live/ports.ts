import { once } from 'node:events';
import { createServer, type Server } from 'node:net';

/**
 * A port that is free now. Another program may take it before the caller does, which then fails.
 */
export async function findFreePort(): Promise<number> {
  const server = createServer();
  const port = await listenAnywhere(server);
  server.close();
  await once(server, 'close');
  return port;
}

export async function listenAnywhere(server: Server): Promise<number> {
  const listening = once(server, 'listening');
  server.listen(0, '127.0.0.1');
  await listening;
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port was given');
  return address.port;
}
