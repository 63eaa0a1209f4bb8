import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { stopParsing } from './node-parser.ts';

/**
 * A client may send requests before it has read the answers to those before (RFC 9112 section
 * 9.3.2). Each costs memory until its answer has left, so that a connection may have so many.
 */
const MOST_EXCHANGES = 16;

interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
}

/** Of each connection the newest exchange, and all before it whose answer has not left yet. */
const exchanges = new WeakMap<Socket, Exchange[]>();

/** Hands on what may be handled, and nothing more of a connection that has to end. */
export function limitExchanges(handle: RequestListener): RequestListener {
  return (request, response) => {
    if (admit(request, response)) handle(request, response);
  };
}

function admit(request: IncomingMessage, response: ServerResponse): boolean {
  const { socket } = request;
  const open = exchanges.get(socket) ?? newConnection(socket);
  // One that was closed for another reason may have been given more at the same time.
  if (socket.destroyed || isEnding(open)) return false;
  forgetFinished(open);
  if (open.length >= MOST_EXCHANGES) {
    stopParsing(socket);
    socket.destroy();
    return false;
  }
  open.push({ request, response });
  endAfterUpgrade(request, response);
  return true;
}

function newConnection(socket: Socket): Exchange[] {
  const none: Exchange[] = [];
  exchanges.set(socket, none);
  return none;
}

/** In its place: another list for each request would cost more than all else that is done here. */
function forgetFinished(open: Exchange[]): void {
  let kept = 0;
  for (const exchange of open) {
    if (exchange.response.writableFinished) continue;
    open[kept] = exchange;
    kept += 1;
  }
  open.length = kept;
}

/** After an answer that closes the connection, a further request could not be answered: it must not be handled. */
function isEnding(open: readonly Exchange[]): boolean {
  return open.at(-1)?.response.shouldKeepAlive === false;
}

/**
 * We speak no other protocol, so the request is answered as any other (RFC 9110 section 7.8). The
 * parser drops what came with it, because it could be of that protocol: who sent another request
 * there would wait for its answer, and take the next one for it.
 */
function endAfterUpgrade({ headers }: IncomingMessage, response: ServerResponse): void {
  if (headers.upgrade !== undefined) response.shouldKeepAlive = false;
}

function exchangesOn(socket: Socket): readonly Exchange[] {
  return exchanges.get(socket) ?? [];
}

/** Undefined before the first one. */
export function newestRequest(socket: Socket): IncomingMessage | undefined {
  return exchangesOn(socket).at(-1)?.request;
}

/**
 * Whether the next answer on a connection would be taken for that of the broken bytes. It would not
 * while a whole request waits for its own, nor after one that was answered before its body had come.
 */
export function isOurTurn(socket: Socket): boolean {
  return exchangesOn(socket).every(
    ({ request, response }) => request.complete === response.writableEnded,
  );
}

/** What a connection is at when nothing has gone in or out for a while. */
export function standingOf(socket: Socket): 'new' | 'idle' | 'working' | 'stalled' {
  const all = exchangesOn(socket);
  if (all.length === 0) return 'new';
  if (all.every(({ response }) => response.writableFinished)) return 'idle';
  return socket.writableLength > 0 ? 'stalled' : 'working';
}
