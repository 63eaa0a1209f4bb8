import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { FastifyInstance } from 'fastify';
import type { ErrorCode } from '../domain/errors/catalogue.ts';
import { UUID_RANDOM_BYTES, uuidVersion7 } from '../domain/uuid.ts';
import { commonHeaders } from './common-headers.ts';
import type { HttpContext } from './context.ts';
import { plainProblem } from './problem.ts';

const PARSER_CODES: Readonly<Record<string, ErrorCode>> = {
  HPE_HEADER_OVERFLOW: 'request.headers_too_large',
  ERR_HTTP_REQUEST_TIMEOUT: 'request.timeout',
};

interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
}

/** Of each connection the newest request, and all before it that have no answer yet. */
const exchanges = new WeakMap<Socket, readonly Exchange[]>();

export function rememberExchanges({ server }: FastifyInstance): void {
  server.on('request', (request, response) => {
    const open = exchangesOn(request.socket).filter((earlier) => !earlier.response.writableEnded);
    exchanges.set(request.socket, [...open, { request, response }]);
  });
}

function exchangesOn(socket: Socket): readonly Exchange[] {
  return exchanges.get(socket) ?? [];
}

/**
 * Whether the next answer on a connection would be taken for that of the broken bytes. It would not
 * while a whole request waits for its own, nor after one that was answered before its body had come.
 */
function isOurTurn(socket: Socket): boolean {
  return exchangesOn(socket).every(
    ({ request, response }) => request.complete === response.writableEnded,
  );
}

/** What Node's parser refuses never becomes a request, so the answer is written by hand. */
export function replyToBrokenRequest(context: HttpContext) {
  return (error: NodeJS.ErrnoException, socket: Socket): void => {
    if (error.code === 'ECONNRESET' || !socket.writable) {
      socket.destroy();
      return;
    }
    if (!isOurTurn(socket)) {
      socket.destroySoon();
      return;
    }
    const code = PARSER_CODES[error.code ?? ''] ?? 'request.malformed';
    socket.end(brokenRequestAnswer(context, code));
  };
}

function brokenRequestAnswer(context: HttpContext, code: ErrorCode): string {
  const { clock, tools } = context;
  const requestId = uuidVersion7(clock.now(), tools.random.bytes(UUID_RANDOM_BYTES));
  const { title, status, ...said } = plainProblem(code, 'en');
  const body = JSON.stringify({ title, status, ...said, request_id: requestId });
  const headers = {
    ...commonHeaders(context, requestId),
    'content-type': 'application/problem+json; charset=utf-8',
    'content-length': Buffer.byteLength(body),
    connection: 'close',
  };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  return `HTTP/1.1 ${status} ${title}\r\n${lines.join('')}\r\n${body}`;
}
