import { readFileSync } from 'node:fs';
import { createServer as createPlain, type RequestListener, type Server } from 'node:http';
import { createServer } from 'node:https';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { temporaryFolder, type AtEnd } from '../at-end.ts';
import { certify } from '../certificate.ts';

export interface Receiver {
  readonly port: number;
  /** How many connections have arrived. */
  readonly connections: () => number;
}

interface Place {
  readonly address?: string;
  readonly port?: number;
}

/** Whoever is called back: a server on this machine that counts its connections. */
async function listen(server: Server, { address = '127.0.0.1', port = 0 }: Place, atEnd: AtEnd) {
  let connections = 0;
  server.on('connection', () => (connections += 1));
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  server.once('error', reject).listen(port, address, resolve);
  await promise;
  atEnd(() => {
    server.closeAllConnections();
    server.close();
  });
  const bound = server.address();
  if (typeof bound !== 'object' || bound === null) throw new Error('it has no port');
  return { port: bound.port, connections: () => connections };
}

export function plainReceiver(
  handler: RequestListener,
  atEnd: AtEnd,
  place: Place = {},
): Promise<Receiver> {
  return listen(createPlain(handler), place, atEnd);
}

/** Makes receivers by https for one host, whose certificate this process trusts until the end. */
export function trustedReceivers(host: string, atEnd: AtEnd) {
  const { certificateFile, keyFile } = certify(temporaryFolder('receiver', atEnd), 'own', host);
  const [cert, key] = [readFileSync(certificateFile, 'utf8'), readFileSync(keyFile, 'utf8')];
  const before = getCACertificates('default');
  setDefaultCACertificates([...before, cert]);
  atEnd(() => setDefaultCACertificates(before));
  return (handler: RequestListener, place: Place = {}): Promise<Receiver> =>
    listen(createServer({ cert, key }, handler), place, atEnd);
}
