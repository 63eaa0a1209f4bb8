import type { ErrorCode } from '@miftah/contract';
import type {
  FastifyBaseLogger,
  FastifyInstance,
  FastifyLogFn,
  FastifyReply,
  FastifyRequest,
  RouteOptions,
} from 'fastify';
import type { StatusWaiter } from '../../attempt/status/status-waiter.flow.ts';
import { Refusal } from '../../errors/refusal.ts';
import type { Meter, RouteMeter } from '../../operate/metrics/meter.port.ts';
import type { RequestSpan, Tracer } from '../../operate/tracing/tracer.port.ts';
import type { ClientAddresses } from '../caller/client-address.ts';
import { CONNECTION_LIMIT, QUEUE_LIMIT } from '../../values/limits.ts';

/** Null when the client has left before anything was sent. */
function sentStatus({ raw, statusCode }: FastifyReply): number | null {
  return raw.headersSent ? statusCode : null;
}

type ChildParameters = Parameters<FastifyBaseLogger['child']>;

const METHODS = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const;

/**
 * The log of one request; its lines carry the request's id. For most requests only `logRequest`
 * writes a line, and not through this, so the logger behind it is created when the first line is
 * written.
 */
export class RequestLog implements FastifyBaseLogger {
  declare readonly fatal: FastifyLogFn;
  declare readonly error: FastifyLogFn;
  declare readonly warn: FastifyLogFn;
  declare readonly info: FastifyLogFn;
  declare readonly debug: FastifyLogFn;
  declare readonly trace: FastifyLogFn;
  declare readonly silent: FastifyLogFn;
  readonly #parent: FastifyBaseLogger;
  #given: ChildParameters;
  #own: FastifyBaseLogger | null = null;

  constructor(parent: FastifyBaseLogger, ...given: ChildParameters) {
    this.#parent = parent;
    this.#given = given;
  }

  get level(): string {
    return this.own().level;
  }

  child(...given: ChildParameters): FastifyBaseLogger {
    return this.own().child(...given);
  }

  /** Adds members to each line that is written from now on. */
  bind(members: Readonly<Record<string, string>>): void {
    const [bindings, options] = this.#given;
    this.#given = [{ ...bindings, ...members }, options];
    this.#own = null;
  }

  own(): FastifyBaseLogger {
    return (this.#own ??= this.#parent.child(...this.#given));
  }
}

for (const method of METHODS) {
  Object.defineProperty(RequestLog.prototype, method, {
    value(this: RequestLog, ...said: Parameters<FastifyLogFn>) {
      const log = this.own();
      Reflect.apply(log[method], log, said);
    },
  });
}

/**
 * Logs one line per request with only these members. It contains the route's pattern instead of the
 * address, because addresses contain attempt ids and completion codes. A request that waits for the
 * end of an attempt has `ended`, the reason why its wait is over. One that was refused has `code`, and
 * `fields`: which members of a schema were wrong.
 */
export function logRequest(
  request: FastifyRequest,
  reply: FastifyReply,
  route: string | undefined,
): void {
  // Uses the server's log, because the request's own log would be created only for this line.
  request.server.log.info(
    {
      reqId: request.id,
      ...(request.traceId === null ? {} : { traceId: request.traceId }),
      method: request.method,
      route: route ?? 'unknown',
      status: sentStatus(reply),
      ms: Math.round(reply.elapsedTime * 10) / 10,
      ...refusalOf(reply),
      ...(reply.wait === null ? {} : { ended: reply.wait.waiter.endedBy }),
    },
    'request',
  );
}

/** The control API of a simulation has codes of its own, and an error handler that knows no refusals. */
function refusalOf({ refusedAs, refusedFields, controlError }: FastifyReply) {
  const code = refusedAs ?? controlError;
  if (code === undefined) return {};
  return refusedFields === null ? { code } : { code, fields: refusedFields };
}

declare module 'fastify' {
  interface FastifyInstance {
    /** Logs, counts and traces a request that is over. */
    reportRequest: (request: FastifyRequest, reply: FastifyReply) => void;
  }
  interface FastifyReply {
    /** Of a request that waits for the end of an attempt. */
    wait: Wait | null;
    /** The code of the error that it was answered with. */
    refusedAs: ErrorCode | null;
    /** Names of ours of what was wrong with it, and none that a caller has made up. */
    refusedFields: readonly string[] | null;
  }
}

interface Wait {
  readonly waiter: StatusWaiter;
  isReported: boolean;
}

/**
 * Reports each request once: when its answer was sent, and one that waits also when its client has
 * left. Must be called before the routes are added.
 */
export function reportRequests(
  app: FastifyInstance,
  report: (request: FastifyRequest, reply: FastifyReply) => void,
): void {
  const reportOnce = (request: FastifyRequest, reply: FastifyReply) => {
    const { wait } = reply;
    if (wait !== null) {
      if (wait.isReported) return;
      wait.isReported = true;
    }
    report(request, reply);
  };
  app.decorateReply('wait', null);
  app.decorateReply('refusedAs', null);
  app.decorateReply('refusedFields', null);
  app.decorate('reportRequest', reportOnce);
  app.addHook('onResponse', (request, reply, done) => {
    reportOnce(request, reply);
    done();
  });
}

/**
 * Prepares the numbers of each route when it is added, so that a request only finds them. Must be
 * called before the routes are added.
 * @returns counts one answer, if any was sent; `meter` is undefined for requests without a route
 */
export function meterRequests(app: FastifyInstance, meter: Meter) {
  // Neither method nor address of such a request is a label, because callers choose them.
  const unknown = meter.route('any', 'unknown');
  app.addHook('onRoute', (route: RouteOptions) => {
    route.config = { ...route.config, meter: meter.route(methodOf(route), route.url) };
  });
  return (reply: FastifyReply, ofRoute: RouteMeter | undefined) => {
    const status = sentStatus(reply);
    if (status !== null) (ofRoute ?? unknown).observe(status, reply.elapsedTime);
  };
}

function methodOf({ method }: RouteOptions): string {
  return [method].flat().join(',');
}

/** Counts connections that are refused because there are too many. */
export function meterConnections({ server }: FastifyInstance, meter: Meter): void {
  server.on('drop', () => meter.limitHit(CONNECTION_LIMIT));
}

/** Counts an error that says that there is too much to do, apart from the rate limits. */
export function meterOverload(error: unknown, meter: Meter): void {
  const isOverload = error instanceof Refusal && error.code === 'server.overloaded';
  if (isOverload) meter.limitHit(error.details.limit ?? QUEUE_LIMIT);
}

declare module 'fastify' {
  interface FastifyRequest {
    /** Null without traces, and when that of this request is not sent. */
    traceId: string | null;
  }
}

const TRACED_METHODS = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']);

/**
 * Measures each request. Must be called before other hooks are added, to measure them too.
 * @returns ends the span of a request
 */
export function traceRequests(
  app: FastifyInstance,
  tracer: Tracer,
  addresses: ClientAddresses,
): (request: FastifyRequest, reply: FastifyReply) => void {
  const spans = new WeakMap<FastifyRequest, RequestSpan>();
  app.addHook('onRequest', (request, _reply, done) => {
    const span = tracer.beginRequest(parentOf(request, addresses));
    spans.set(request, span);
    noteTrace(request, span.traceId);
    span.run(done);
  });
  // The body is read in another asynchronous context.
  app.addHook('preValidation', (request, _reply, done) => {
    const span = spans.get(request);
    if (span === undefined) done();
    else span.run(done);
  });
  return (request, reply) => {
    const route = request.routeOptions.url ?? 'unknown';
    const method = TRACED_METHODS.has(request.method) ? request.method : '_OTHER';
    spans.get(request)?.end({ id: request.id, method, route, status: sentStatus(reply) });
  };
}

/** Who has the request's id finds its trace in the log; the span has the id in turn. */
function noteTrace(request: FastifyRequest, traceId: string | null): void {
  if (traceId === null) return;
  request.traceId = traceId;
  if (request.log instanceof RequestLog) request.log.bind({ traceId });
}

/** Others could tie their requests to traces of somebody else, or have everything sent. */
function parentOf(
  { headers, socket }: FastifyRequest,
  addresses: ClientAddresses,
): string | undefined {
  const { traceparent } = headers;
  const isBelieved = addresses.isTrusted(socket.remoteAddress);
  return isBelieved && typeof traceparent === 'string' ? traceparent : undefined;
}
