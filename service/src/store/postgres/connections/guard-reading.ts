import type { Client } from 'pg';

interface Readable {
  on(event: string, listen: (data: Buffer) => void): unknown;
}

/** The method of the driver's connection by which it begins to read, also after the TLS handshake. */
interface Reading {
  attachListeners(stream: Readable): void;
}

/**
 * The driver reads in a listener of the socket, and throws there at what it does not know, such as
 * an authentication by GSSAPI. Nobody could catch that: the process would end.
 * @param isOver nothing more is to be read
 * @param refuse is called when something could not be read; nothing more is to be read then
 */
export function guardReading(client: Client, isOver: () => boolean, refuse: () => void): void {
  const connection: object = client.connection;
  if (!isReading(connection)) throw new Error('this version of the driver reads in another way');
  const attach = connection.attachListeners.bind(connection);
  const guarded = (read: (data: Buffer) => void) => (data: Buffer) => {
    if (isOver()) return;
    try {
      read(data);
    } catch {
      refuse();
    }
  };
  connection.attachListeners = (stream) =>
    attach({
      on: (event, listen) => stream.on(event, event === 'data' ? guarded(listen) : listen),
    });
}

function isReading(connection: object): connection is Reading {
  return 'attachListeners' in connection && typeof connection.attachListeners === 'function';
}
