import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { ERROR_STATUS, type ErrorCode } from '../domain/errors/catalogue.ts';
import { wordingOf } from '../domain/errors/wording.ts';
import { UUID_RANDOM_BYTES, uuidVersion7 } from '../domain/uuid.ts';
import { commonHeaders } from './common-headers.ts';
import type { HttpContext } from './context.ts';

const PARSER_CODES: Readonly<Record<string, ErrorCode>> = {
  HPE_HEADER_OVERFLOW: 'request.headers_too_large',
  ERR_HTTP_REQUEST_TIMEOUT: 'request.timeout',
};

/** The last request of a connection that was answered before its body had come in whole. */
const answeredEarly = new WeakMap<Socket, IncomingMessage>();

/** Called with every request that has been answered. */
export function rememberAnswered(request: IncomingMessage): void {
  if (!request.complete) answeredEarly.set(request.socket, request);
}

/** What Node's parser refuses never becomes a request, so the answer is written by hand. */
export function replyToBrokenRequest(context: HttpContext) {
  return (error: NodeJS.ErrnoException, socket: Socket): void => {
    if (error.code === 'ECONNRESET' || !socket.writable) {
      socket.destroy();
      return;
    }
    // A second answer would be taken for that of the next request on the connection.
    if (answeredEarly.get(socket)?.complete === false) {
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
  const { title, message } = wordingOf(code, 'en');
  const status = ERROR_STATUS[code];
  const said = { type: `/errors/${code}`, title, status, detail: message, code, message };
  const body = JSON.stringify({ ...said, request_id: requestId });
  const headers = {
    ...commonHeaders(context, requestId),
    'content-type': 'application/problem+json; charset=utf-8',
    'content-length': Buffer.byteLength(body),
    connection: 'close',
  };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  return `HTTP/1.1 ${status} ${title}\r\n${lines.join('')}\r\n${body}`;
}
