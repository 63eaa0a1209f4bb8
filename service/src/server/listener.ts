import type { RequestListener, Server } from 'node:http';
import type { Server as NetServer, Socket } from 'node:net';
import { keepHeads, limitExchanges, standingOf } from './exchanges.ts';
import { limitConnections } from './limit-connections.ts';
import { OrderlyServer, type Stopping } from './orderly-server.ts';
import { type GroupOptions, groupRequests } from './request-groups.ts';
import { SECOND_MS } from '../values/time.ts';

/**
 * How many turns of the event loop work may wait for connections. The queue of a listening socket
 * holds 511, so a health check on a new connection waits for 32 groups of requests at most.
 */
export const MOST_TURNS = 16;

type AtEndOfTurn = (work: () => void) => void;

/**
 * Lets several connections be accepted before work is done.
 *
 * Node accepts one connection in a turn of the event loop. If each turn also handled a group of
 * requests, a client that opens a connection while many others do would wait for as many groups.
 */
export class AcceptFirst {
  readonly #atEndOfTurn: AtEndOfTurn;
  /** Since the last time that work was about to be done. */
  #hasAccepted = false;
  /** All that waits is done at the same time. */
  #works: (() => void)[] = [];

  constructor(atEndOfTurn: AtEndOfTurn) {
    this.#atEndOfTurn = atEndOfTurn;
  }

  watch(server: NetServer): void {
    server.on('connection', () => {
      this.#hasAccepted = true;
    });
  }

  /** Calls `work` at the end of the first turn in which no connection was accepted. */
  readonly atEndOfTurn: AtEndOfTurn = (work) => {
    this.#works.push(work);
    if (this.#works.length === 1) this.#wait(MOST_TURNS);
  };

  #wait(turns: number): void {
    this.#atEndOfTurn(() => {
      const isLast = turns === 1 || !this.#hasAccepted;
      this.#hasAccepted = false;
      if (isLast) for (const work of this.#works.splice(0)) work();
      else this.#wait(turns - 1);
    });
  }
}

/**
 * All headers of a request must arrive within the first time, the whole request within the second.
 */
const HEADERS_TIMEOUT_MS = 5 * SECOND_MS;
const REQUEST_TIMEOUT_MS = 10 * SECOND_MS;

/**
 * How often Node checks whether a write made progress. A write without progress therefore ends its
 * connection after five to ten seconds.
 */
const STALL_CHECK_MS = 5 * SECOND_MS;

/** The HTTP server below the framework. It limits what a client can do with connections. */
export function createListener(
  handle: RequestListener,
  groups: GroupOptions,
  stopping: Pick<Stopping, 'drain' | 'timer'>,
  acceptFirst = new AcceptFirst(groups.atEndOfTurn),
): Server {
  const server = new OrderlyServer(
    {
      headersTimeout: HEADERS_TIMEOUT_MS,
      requestTimeout: REQUEST_TIMEOUT_MS,
      connectionsCheckingInterval: SECOND_MS,
      // Node would answer without our headers; `hostFault` refuses requests without Host instead.
      requireHostHeader: false,
      // A request with neither Content-Length nor Transfer-Encoding has no stream then. The
      // framework reads it all the same where a media type is named: `acceptJson` gives it an empty
      // one.
      optimizeEmptyRequests: true,
    },
    { ...stopping, atEndOfTurn: groups.atEndOfTurn, now: groups.now },
    limitExchanges(groupRequests(handle, { ...groups, atEndOfTurn: acceptFirst.atEndOfTurn })),
  );
  acceptFirst.watch(server);
  ignoreExpectations(server);
  limitConnections(server);
  keepHeads(server);
  endStalledWrites(server);
  return server;
}

/** RFC 9110 section 10.1.1: a server may ignore an unknown expectation. Node would answer 417. */
function ignoreExpectations(server: Server): void {
  server.on('checkExpectation', (request, response) => server.emit('request', request, response));
}

/**
 * Ends connections whose client does not read its answer, which we would have to keep in memory. A
 * connection that waits for our answer, or for its first request, has other limits.
 */
export function endStalledWrites(server: Server, checkMs = STALL_CHECK_MS): void {
  server.timeout = checkMs;
  server.on('timeout', (socket: Socket) => {
    const standing = standingOf(socket);
    if (standing === 'stalled' || standing === 'idle') socket.destroy();
  });
}
