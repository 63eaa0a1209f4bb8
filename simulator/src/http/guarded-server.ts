import {
  createServer,
  type IncomingMessage,
  type RequestListener,
  type Server,
  type ServerResponse,
} from 'node:http';
import type { Socket } from 'node:net';

/** A client that needs longer to say what it wants is none. */
const REQUEST_TIMEOUT_MS = 10_000;

/** Requests of one connection whose answers have not left yet; each holds memory. */
const MOST_OPEN_ANSWERS = 16;

/** Node looks once in this time whether a write has moved; one that has not is given up. */
const STALL_CHECK_MS = 5000;

/** What Node's parser returns to itself when another protocol follows: it reads no further. */
const STOP_READING = 2;

type Parsed = Socket & { parser?: { onIncoming: () => number } | null };

const openAnswers = new WeakMap<Socket, readonly ServerResponse[]>();

/** A server that clients who ask and do not read can't fill the memory of. */
export function createGuardedServer(handle: RequestListener): Server {
  const server = createServer({ requestTimeout: REQUEST_TIMEOUT_MS }, (request, response) => {
    if (admit(request, response)) handle(request, response);
  });
  server.timeout = STALL_CHECK_MS;
  server.on('timeout', (socket: Socket) => {
    const open = openOn(socket);
    const isAtWork = open.length > 0 && socket.writableLength === 0;
    // Node itself ends a connection on which no request has come in time.
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
  // The parser drops what came together with it, since that could be of another protocol.
  if (headers.upgrade !== undefined) response.shouldKeepAlive = false;
  return true;
}

function openOn(socket: Socket): readonly ServerResponse[] {
  return (openAnswers.get(socket) ?? []).filter(({ writableFinished }) => !writableFinished);
}

function close(socket: Parsed): void {
  // Else it would make a request of all that has come in the same piece.
  if (socket.parser) socket.parser.onIncoming = () => STOP_READING;
  socket.destroy();
}
