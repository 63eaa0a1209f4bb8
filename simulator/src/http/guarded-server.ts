import type { IncomingMessage, RequestListener, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import process from 'node:process';

// An `import` of node:http loads Node's fetch too, which is a tenth of a start.
const { createServer } = process.getBuiltinModule('node:http');

/** No honest client needs longer to send the headers of a request, and the whole of it. */
const HEADERS_TIMEOUT_MS = 5000;
const REQUEST_TIMEOUT_MS = 10_000;
/** How often Node compares connections with these times. */
const TIME_CHECK_MS = 1000;

/** Every open connection needs memory and a file descriptor. More than these are refused. */
const MOST_CONNECTIONS = 10_000;

/** The number of unfinished answers on one connection, each of which needs memory. */
const MOST_OPEN_ANSWERS = 16;

/**
 * How often Node checks whether a write made progress; one without progress ends the connection.
 */
const STALL_CHECK_MS = 5000;

/**
 * The result that tells Node's parser that another protocol follows, so that it reads no further.
 */
const STOP_READING = 2;

type Parsed = Socket & { parser?: { onIncoming: () => number } | null };

const openAnswers = new WeakMap<Socket, readonly ServerResponse[]>();

/**
 * A server whose memory can't be filled by clients that send requests and do not read the answers.
 */
export function createGuardedServer(handle: RequestListener): Server {
  const times = {
    headersTimeout: HEADERS_TIMEOUT_MS,
    requestTimeout: REQUEST_TIMEOUT_MS,
    connectionsCheckingInterval: TIME_CHECK_MS,
  };
  const server = createServer(times, (request, response) => {
    if (admit(request, response)) handle(request, response);
  });
  server.maxConnections = MOST_CONNECTIONS;
  server.timeout = STALL_CHECK_MS;
  server.on('timeout', (socket: Socket) => {
    const open = openOn(socket);
    const isAtWork = open.length > 0 && socket.writableLength === 0;
    // Until the first request of a connection Node's own time limits apply.
    if (openAnswers.has(socket) && !isAtWork) socket.destroy();
  });
  return server;
}

function admit({ socket, headers }: IncomingMessage, response: ServerResponse): boolean {
  if (socket.destroyed) return false;
  const open = openOn(socket);
  if (open.length >= MOST_OPEN_ANSWERS) {
    close(socket);
    return false;
  }
  openAnswers.set(socket, [...open, response]);
  // The parser drops what follows such a request, because it may be of another protocol.
  if (headers.upgrade !== undefined) response.shouldKeepAlive = false;
  return true;
}

function openOn(socket: Socket): readonly ServerResponse[] {
  return (openAnswers.get(socket) ?? []).filter(({ writableFinished }) => !writableFinished);
}

function close(socket: Parsed): void {
  // Otherwise the parser would make requests of everything that arrived in the same piece.
  if (socket.parser) socket.parser.onIncoming = () => STOP_READING;
  socket.destroy();
}
