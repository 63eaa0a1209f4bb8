import type { RequestListener, Server, IncomingMessage, ServerOptions } from 'node:http';
import type { Server as NetServer, Socket } from 'node:net';
import { performance } from 'node:perf_hooks';
import process from 'node:process';
import { keepHeads, limitExchanges, standingOf, keptHead, newestResponse } from './exchanges.ts';
import { limitConnections } from './limit-connections.ts';
import { type GroupOptions, groupRequests } from './request-groups.ts';
import { SECOND_MS, type Ms } from '../values/time.ts';
import type { Drain, Timer } from '../platform/runtime.port.ts';

// To import node:http also loads Node's fetch, which takes a tenth of the time of a start.
const { Server: NodeServer, ServerResponse } = process.getBuiltinModule('node:http');

/** How long a connection may stay open without a request after the listening socket was closed. */
const FIRST_REQUEST_MS = SECOND_MS;
/** How long a client may take to close its end of a connection that we have ended. */
const LINGER_MS = SECOND_MS;
/** Turns of the event loop that a stop waits for one in which nothing arrives, at most. */
const MOST_TURNS_OF_A_STOP = 1000;

/** What a server needs for its end. */
interface Stopping {
  readonly drain: Drain;
  readonly timer: Timer;
  /** Calls `work` after everything that can be read in this turn of the event loop was read. */
  readonly atEndOfTurn: (work: () => void) => void;
  /** The time of the service, for the header `Date`. */
  readonly now: () => Ms;
}

/**
 * An HTTP server that can be closed while requests arrive.
 *
 * Node's own `close` resets connections of clients that did nothing wrong: those in the queue of
 * the listening socket, those whose first request was not read yet, and idle ones on which a
 * request is on its way. This one
 *
 * - announces with `Connection: close` on every answer, from the beginning of the drain, that the
 *   connection takes no further request (RFC 9112 section 9.6),
 * - closes the listening socket right after its queue was seen empty,
 * - waits for the first request of a new connection, and
 * - ends an idle connection with FIN, and only after everything that had arrived was read.
 */
class OrderlyServer extends NodeServer {
  readonly #connections = new Set<Socket>();
  readonly #stopping: Stopping;

  constructor(options: ServerOptions, stopping: Stopping, handle: RequestListener) {
    super({ ...options, ServerResponse: responseOf(stopping) }, handle);
    this.#stopping = stopping;
    this.on('connection', (socket) => {
      this.#connections.add(socket);
      socket.once('close', () => this.#connections.delete(socket));
    });
  }

  override close(done?: (error?: Error) => void): this {
    if (!this.listening) return super.close(done);
    void this.#closeInOrder(done);
    return this;
  }

  /** Does nothing. Node and the framework call it first of all when they close a server. */
  override closeIdleConnections(): void {
    // `#leave` ends them, as soon as no further request can be on its way.
  }

  async #closeInOrder(done?: (error?: Error) => void): Promise<void> {
    const { timer, atEndOfTurn } = this.#stopping;
    await quietTurn(atEndOfTurn);
    super.close(done);
    atEndOfTurn(() => this.#end('idle'));
    this.once(
      'close',
      timer.after(FIRST_REQUEST_MS, () => this.#end('new')),
    );
  }

  #end(standing: 'idle' | 'new'): void {
    for (const socket of this.#connections) {
      // The rest of a request whose beginning has arrived is waited for.
      if (standingOf(socket) !== standing || keptHead(socket).length > 0) continue;
      socket.end();
      socket.once(
        'close',
        this.#stopping.timer.after(LINGER_MS, () => void socket.destroy()),
      );
    }
  }
}

/**
 * Decides at the head of an answer whether it is the last one, because the client may have sent
 * another request by then. That one is answered too, and the connection ends with the last answer.
 *
 * `Date` is by the clock that made the rest of the answer. Node would take the machine's, which may
 * be hours away from a clock that a test has moved.
 */
function responseOf({ drain, now }: Stopping): typeof ServerResponse {
  const date = dateBy(now);
  return class<Request extends IncomingMessage> extends ServerResponse<Request> {
    override writeHead(statusCode: number, ...rest: never[]): this {
      if (drain.isOn && newestResponse(this.req.socket) === this) this.shouldKeepAlive = false;
      const headers: unknown = rest.at(-1);
      if (typeof headers !== 'object' || headers === null) this.#stamp();
      else if (!('date' in headers)) Object.assign(headers, { date: date() });
      return super.writeHead(statusCode, ...rest);
    }

    #stamp(): void {
      if (!this.hasHeader('date')) this.setHeader('date', date());
    }
  };
}

/** The time as a header says it (RFC 9110 section 5.6.7), made once a second. */
function dateBy(now: () => Ms): () => string {
  let second = Number.NaN;
  let text = '';
  return () => {
    const current = Math.floor(now() / SECOND_MS);
    if (current !== second) text = new Date(current * SECOND_MS).toUTCString();
    second = current;
    return text;
  };
}

/**
 * Resolves after a turn of the event loop in which nothing arrived at the process: no connection
 * was waiting to be accepted then. Node accepts one connection a turn.
 */
async function quietTurn(atEndOfTurn: Stopping['atEndOfTurn']): Promise<void> {
  const turn = () => new Promise<void>((resolve) => atEndOfTurn(resolve));
  // A first turn, because this may be called in the middle of one.
  await turn();
  for (let turns = 0; turns < MOST_TURNS_OF_A_STOP; turns += 1) {
    const before = performance.nodeTiming.uvMetricsInfo.events;
    await turn();
    if (performance.nodeTiming.uvMetricsInfo.events === before) return;
  }
}

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

/** Everything else waits while it is done; this much takes a few milliseconds. */
export const MOST_IN_TURN = 32;

/**
 * Spreads work over the turns of the event loop that does not come by a group of requests: what
 * follows the end of a body, and the answer to what is no request. Thousands of clients can have all
 * but the last byte sent, and send it at once.
 *
 * What there is a place for is done at once, so that nobody waits without pressure.
 */
export class LateWork {
  readonly #atEndOfTurn: (work: () => void) => void;
  /** None, as long as anything waits. */
  #places = MOST_IN_TURN;
  #waiting: (() => void)[] = [];
  #isScheduled = false;

  constructor(atEndOfTurn: (work: () => void) => void) {
    this.#atEndOfTurn = atEndOfTurn;
  }

  /** Calls `work` now, or in its turn. It must not throw. */
  do(work: () => void): void {
    this.#schedule();
    if (this.#places === 0) {
      this.#waiting.push(work);
      return;
    }
    this.#places -= 1;
    work();
  }

  #schedule(): void {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    this.#atEndOfTurn(() => {
      this.#isScheduled = false;
      const next = this.#waiting.splice(0, MOST_IN_TURN);
      this.#places = MOST_IN_TURN - next.length;
      if (next.length > 0) this.#schedule();
      for (const work of next) work();
    });
  }
}
