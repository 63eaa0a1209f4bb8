import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { RequestSpan, Tracer } from '../../operate/tracing/tracer.port.ts';
import type { ClientAddresses } from '../caller/client-address.ts';
import { RequestLog } from './request-log.ts';
import { sentStatus } from './sent-status.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** Null without traces, and when that of this request is not sent. */
    traceId: string | null;
  }
}

const METHODS = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']);

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
    const method = METHODS.has(request.method) ? request.method : '_OTHER';
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
