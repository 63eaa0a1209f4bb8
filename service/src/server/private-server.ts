import type { RequestListener, Server } from 'node:http';
import process from 'node:process';
import { SECOND_MS } from '../values/time.ts';
import { limitExchanges } from './exchanges.ts';
import { limitConnections } from './limit-connections.ts';
import { endStalledWrites } from './listener.ts';

// To import node:http also loads Node's fetch, which takes a tenth of the time of a start.
const { createServer } = process.getBuiltinModule('node:http');

const REQUEST_TIMEOUT_MS = 5 * SECOND_MS;
/** Several collectors or operators may read at the same time; nobody else has business here. */
const CONNECTIONS = { most: 32, crowd: 8 } as const;
const LIMITS = {
  headersTimeout: REQUEST_TIMEOUT_MS,
  requestTimeout: REQUEST_TIMEOUT_MS,
  connectionsCheckingInterval: SECOND_MS,
  /** What is asked of these listeners is far shorter. */
  maxHeaderSize: 8 * 1024,
};

/** The server of a listener that is for the few who run the service. */
export function privateServer(handle: RequestListener): Server {
  const server = createServer(LIMITS, limitExchanges(handle));
  limitConnections(server, CONNECTIONS);
  endStalledWrites(server);
  return server;
}
