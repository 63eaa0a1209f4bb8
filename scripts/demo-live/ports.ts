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

/**
 * Another program on the port may be a Miftah of somebody else, which would answer in the place of the
 * one that is to be started.
 * @throws Error
 */
export async function requireFree(port: number, setting: string): Promise<void> {
  const server = createServer();
  try {
    await listenAnywhere(server, port);
  } catch (error) {
    const isTaken = error instanceof Error && 'code' in error && error.code === 'EADDRINUSE';
    // What else is wrong with a port is said by the program that is started on it.
    if (!isTaken) return;
    throw new Error(
      `127.0.0.1:${port} is taken by another program. Stop it, or set ${setting} to another port`,
      { cause: error },
    );
  }
  server.close();
  await once(server, 'close');
}

/** @param port by default one that is free */
export async function listenAnywhere(server: Server, port = 0): Promise<number> {
  const listening = once(server, 'listening');
  server.listen(port, '127.0.0.1');
  await listening;
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port was given');
  return address.port;
}
