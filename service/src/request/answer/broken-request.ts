import type { Socket } from 'node:net';
import type { FastifyBaseLogger } from 'fastify';
import type { ErrorCode } from '../../errors/catalogue.ts';
import { SECOND_MS } from '../../values/time.ts';
import { UUID_RANDOM_BYTES, uuidVersion7 } from '../../values/ids.ts';
import { commonHeaders, type Endpoints, type HttpContext } from '../context.ts';
import { isOurTurn, keptHead } from '../../server/exchanges.ts';
import type { LateWork } from '../../server/listener.ts';
import { lostState } from './lost-return.ts';
import { plainProblem } from './problem.ts';

const LINGER_MS = SECOND_MS;

const PARSER_CODES: Readonly<Record<string, ErrorCode>> = {
  HPE_HEADER_OVERFLOW: 'request.headers_too_large',
  ERR_HTTP_REQUEST_TIMEOUT: 'request.timeout',
};

type LostReturn = Endpoints['lostReturn'];

/**
 * Node's parser makes no request of what it can't read, so the framework can't answer: we write the
 * answer to the socket.
 */
export function replyToBrokenRequest(
  context: HttpContext,
  lostReturn: LostReturn,
  late: LateWork,
  log: FastifyBaseLogger,
) {
  return (error: NodeJS.ErrnoException, socket: Socket): void => {
    if (isAnswered(error, socket)) return;
    const code = PARSER_CODES[error.code ?? ''] ?? 'request.malformed';
    const isLost = code === 'request.headers_too_large';
    const state = isLost ? lostState(context, keptHead(socket)) : null;
    // Not awaited, so that the content and the time of the answer do not depend on the state.
    if (state !== null) void spoil(lostReturn, state, log);
    if (error.code === 'ECONNRESET') return void socket.destroy();
    ended.add(socket);
    late.do(() => reply(context, code, socket));
  };
}

async function spoil(lostReturn: LostReturn, state: string, log: FastifyBaseLogger): Promise<void> {
  try {
    await lostReturn?.(state);
  } catch {
    log.error('a return that was too large to read could not be looked up');
  }
}

/** Connections that were answered and ended, or will be in their turn. */
const ended = new WeakSet<Socket>();

/**
 * Each further piece of a request that can't be read is an error again. To close the connection for
 * it would reset it, and a client that has not read the answer yet would lose it.
 */
function isAnswered({ code }: NodeJS.ErrnoException, socket: Socket): boolean {
  return ended.has(socket) && code !== 'ECONNRESET';
}

function reply(context: HttpContext, code: ErrorCode, socket: Socket): void {
  if (!socket.writable) socket.destroy();
  else if (isOurTurn(socket)) endWith(brokenRequestAnswer(context, code), socket, context);
  else socket.destroySoon();
}

/**
 * The client gets some time to read the answer. Without the end of that time, one that goes on
 * sending and never closes its side would keep the connection for as long as it likes.
 */
function endWith(answer: string, socket: Socket, { timer }: HttpContext): void {
  socket.end(answer);
  socket.once(
    'close',
    timer.after(LINGER_MS, () => void socket.destroy()),
  );
}

function brokenRequestAnswer(context: HttpContext, code: ErrorCode): string {
  const { clock, services } = context;
  const requestId = uuidVersion7(clock.now(), services.random.bytes(UUID_RANDOM_BYTES));
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
