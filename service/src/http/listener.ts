import { createServer, type RequestListener, type Server } from 'node:http';
import type { Socket } from 'node:net';
import { SECOND_MS } from '../domain/time.ts';
import { limitExchanges, standingOf } from './exchanges.ts';
import { keepHeads } from './kept-heads.ts';
import { groupRequests, type GroupOptions } from './request-groups.ts';
import { limitConnections } from './limit-connections.ts';

/** Headers of one request must arrive within this time, its body within the next. */
const HEADERS_TIMEOUT_MS = 5 * SECOND_MS;
const REQUEST_TIMEOUT_MS = 10 * SECOND_MS;

/**
 * Node looks once in this time whether anything has moved, so that a write without progress ends
 * its connection after five to ten seconds.
 */
const STALL_CHECK_MS = 5 * SECOND_MS;

/** The server below the framework: what a client can do with connections is limited here. */
export function createListener(handle: RequestListener, groups: GroupOptions): Server {
  const server = createServer(
    {
      headersTimeout: HEADERS_TIMEOUT_MS,
      requestTimeout: REQUEST_TIMEOUT_MS,
      connectionsCheckingInterval: SECOND_MS,
      // Node would answer by itself, without our headers; `hostFault` finds what has no Host.
      requireHostHeader: false,
      // A request without a body is no stream then, which nobody would read.
      optimizeEmptyRequests: true,
    },
    limitExchanges(groupRequests(handle, groups)),
  );
  ignoreExpectations(server);
  limitConnections(server);
  keepHeads(server);
  endStalledWrites(server);
  return server;
}

/** RFC 9110 section 10.1.1: an expectation that we don't know may be ignored. Node answers 417. */
function ignoreExpectations(server: Server): void {
  server.on('checkExpectation', (request, response) => server.emit('request', request, response));
}

/**
 * Whoever asks and does not read has us keep the answer. A connection that waits for our work, or
 * for its first request, has limits of its own.
 */
export function endStalledWrites(server: Server, checkMs = STALL_CHECK_MS): void {
  server.timeout = checkMs;
  server.on('timeout', (socket: Socket) => {
    const standing = standingOf(socket);
    if (standing === 'stalled' || standing === 'idle') socket.destroy();
  });
}
