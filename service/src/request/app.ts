import fastifyCors from '@fastify/cors';
import Fastify, { LogController, type FastifyBaseLogger, type FastifyInstance } from 'fastify';
import { BODY_LIMITS, Problem, User } from '@miftah/contract';
import { lazySerializers } from '@miftah/schema/compilers';
import type { Socket } from 'node:net';
import type { ErrorCode } from '../errors/catalogue.ts';
import { Refusal } from '../errors/refusal.ts';
import { isOurTurn, keptHead } from '../server/exchanges.ts';
import { allowWaiters } from '../server/limit-connections.ts';
import { AcceptFirst, createListener, LateWork } from '../server/listener.ts';
import type { GroupOptions } from '../server/request-groups.ts';
import { UUID_RANDOM_BYTES, uuidVersion7 } from '../values/ids.ts';
import { SECOND_MS } from '../values/time.ts';
import { lostState } from './answer/lost-return.ts';
import { describeApi } from './answer/openapi.ts';
import { plainProblem } from './answer/problem.ts';
import { faultOf, replyError } from './answer/reply-error.ts';
import { headersAtEnd } from './caller/caller.ts';
import { acceptJson, validationRefusal, validatorOf } from './body/validation.ts';
import { BASE_PATH, type Endpoints, type HttpContext } from './context.ts';
import {
  logRequest,
  meterConnections,
  meterOverload,
  meterRequests,
  reportRequests,
  RequestLog,
  traceRequests,
} from './record/observe-requests.ts';
import { recordExchanges } from './record/record-exchanges.ts';
import {
  corsOptions,
  hookOf,
  hostFault,
  hostNote,
  markLate,
  moveScopeToHeader,
  readIdsOfAddress,
  readIdsOfBody,
  refuseForeignPage,
  refuseScopeOfAddress,
  urgencyOf,
  withWholeEscapes,
} from './request-head.ts';
import { refuseUnknownRoute, rememberRoutes } from './unknown-route.ts';

/** As long as a request's head may be, so that an id that is too long is simply unknown. */
const MAX_PARAMETER_LENGTH = 16 * 1024;

/** Builds the whole HTTP application, ready for `listen` or `inject`. */
export async function buildApp(
  context: HttpContext,
  endpoints: Endpoints,
  logger: FastifyBaseLogger,
): Promise<FastifyInstance> {
  const { meter } = context.services;
  const app = createServer(context, endpoints, logger);
  addHooks(app, context);
  allowWaiters(app, context.services.waiters);
  meterConnections(app, meter);
  app.setErrorHandler((error, request, reply) => {
    meterOverload(error, meter);
    return replyError(error, request, reply);
  });
  acceptJson(app);
  const routes = rememberRoutes(app);
  const refuseUnknown = refuseUnknownRoute(context, routes);
  app.setNotFoundHandler(refuseUnknown);
  await app.register(fastifyCors, corsOptions(context));
  // Unknown routes and methods are refused here, because the framework would read the body first.
  app.addHook(
    'onRequest',
    hookOf((request) => {
      if (request.is404) refuseUnknown(request);
    }),
  );
  await describeApi(app, context);
  app.addSchema(User);
  app.addSchema(Problem);
  await app.register(async (scope) => {
    for (const add of endpoints.origin) add(scope);
  });
  await app.register(
    async (scope) => {
      scope.addHook('onRequest', hookOf(refuseForeignPage(context)));
      scope.addHook('onRequest', hookOf(readIdsOfAddress));
      scope.addHook('preValidation', hookOf(readIdsOfBody));
      if (context.scenarios !== null) scope.addHook('onRequest', hookOf(refuseScopeOfAddress));
      for (const add of endpoints.api) add(scope);
    },
    { prefix: BASE_PATH },
  );
  return app;
}

function createServer(
  context: HttpContext,
  endpoints: Endpoints,
  loggerInstance: FastifyBaseLogger,
): FastifyInstance {
  const { addresses, clock, services } = context;
  const acceptFirst = new AcceptFirst(context.atEndOfTurn);
  const late = new LateWork(acceptFirst.atEndOfTurn);
  const groups = groupsOf(context, loggerInstance);
  const app = Fastify({
    loggerInstance,
    logController: new LogController({ disableRequestLogging: true }),
    childLoggerFactory: (logger, bindings, options) => new RequestLog(logger, bindings, options),
    genReqId: () => uuidVersion7(clock.now(), services.random.bytes(UUID_RANDOM_BYTES)),
    requestIdHeader: false,
    trustProxy: addresses.hasProxies ? (address) => addresses.isTrusted(address) : false,
    bodyLimit: BODY_LIMITS.bytes,
    rewriteUrl: (request) =>
      withWholeEscapes(
        context.scenarios === null ? (request.url ?? '') : moveScopeToHeader(request),
      ),
    routerOptions: { maxParamLength: MAX_PARAMETER_LENGTH },
    serverFactory: (handle) => createListener(handle, groups, context, acceptFirst),
    // During a shutdown a request on an open connection is still served, and the connection is
    // closed after it. The framework's 503 would not be an error of our catalogue.
    return503OnClosing: false,
    schemaController: { compilersFactory: { buildSerializer: lazySerializers() } },
    schemaErrorFormatter: validationRefusal,
    frameworkErrors: (error, request, reply) => {
      reply.headers(commonHeaders(context, request.id));
      void replyError(error, request, reply);
    },
    clientErrorHandler: replyToBrokenRequest(context, endpoints.lostReturn, late, loggerInstance),
  });
  app.setValidatorCompiler(validatorOf);
  app.decorate('lateWork', late);
  return app;
}

/**
 * A handler that throws is an error of the program. Its message may quote the request, so it is not
 * logged.
 */
function groupsOf({ atEndOfTurn, clock }: HttpContext, log: FastifyBaseLogger): GroupOptions {
  return {
    atEndOfTurn,
    onThrow: (error) => log.error(faultOf(error), 'a request could not be handled'),
    now: () => clock.now(),
    urgencyOf,
    onLate: markLate,
  };
}

function addHooks(app: FastifyInstance, context: HttpContext): void {
  const { tracer, addresses } = context;
  app.decorateRequest('traceId', null);
  const endSpan = tracer === null ? () => undefined : traceRequests(app, tracer, addresses);
  app.addHook('onRequest', (request, reply, done) => {
    reply.headers(commonHeaders(context, request.id));
    // An unknown route gets the same answer for every Host.
    const fault = request.is404 ? null : hostFault(context, request);
    if (fault === null) done();
    // Not thrown, because the error handler of the simulator's routes does not know our refusals.
    else {
      const details = fault === 'request.misdirected' ? hostNote(context, request) : {};
      void replyError(new Refusal(fault, details), request, reply);
    }
  });
  app.addHook('onSend', (_request, reply, payload, done) => {
    // A refusal was told at once, with a Retry-After that says the same.
    if (reply.statusCode !== 429) reply.headers(headersAtEnd(reply.raw, context.clock.now()));
    done(null, payload);
  });
  if (context.recorder !== null) recordExchanges(app, context.recorder, context.clock);
  const count = meterRequests(app, context.services.meter);
  reportRequests(app, (request, reply) => {
    endSpan(request, reply);
    // Read once, because the framework makes a new object at each access.
    const { url, config } = request.routeOptions;
    logRequest(request, reply, url);
    count(reply, config.meter);
  });
}

/** The headers of every answer. Pages replace the content security policy by their own. */
function commonHeaders({ settings }: HttpContext, requestId: string) {
  return {
    'x-request-id': requestId,
    'x-auth-mode': settings.mode,
    'cache-control': 'no-store',
    'referrer-policy': 'no-referrer',
    'x-content-type-options': 'nosniff',
    'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  };
}

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
function replyToBrokenRequest(
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
    if (state !== null) void spoilLost(lostReturn, state, log);
    if (error.code === 'ECONNRESET') return void socket.destroy();
    ended.add(socket);
    late.do(() => answerBroken(context, code, socket));
  };
}

async function spoilLost(
  lostReturn: LostReturn,
  state: string,
  log: FastifyBaseLogger,
): Promise<void> {
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

function answerBroken(context: HttpContext, code: ErrorCode, socket: Socket): void {
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
