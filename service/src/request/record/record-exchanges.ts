import type { FastifyInstance, FastifyReply, FastifyRequest, RouteOptions } from 'fastify';
import type { AttemptId } from '../../values/ids.ts';
import type { ExchangeRecorder } from './exchange-recorder.port.ts';
import type { Clock } from '../../platform/runtime.port.ts';
import { callerOf } from '../caller/caller.ts';
import type { HttpContext } from '../context.ts';
import { OpenExchange, type AttemptPlace } from './open-exchange.ts';
import { scopeOfRequest } from '../request-target.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Of a route about one attempt: where its requests name it. Their exchanges are recorded. */
    attemptIn?: AttemptPlace;
    /** What such an exchange is called, where that is not the operation of the route's schema. */
    recordedAs?: string;
  }
  interface FastifyReply {
    /** Only where exchanges are recorded, and only for routes about an attempt. */
    exchange?: OpenExchange | null;
  }
}

/**
 * Records the exchanges about attempts. Only their own routes get hooks. Must be called before the
 * routes are added.
 */
export function recordExchanges(app: FastifyInstance, recorder: ExchangeRecorder, clock: Clock) {
  app.decorateReply('exchange', null);
  app.addHook('onRoute', (options: RouteOptions) => {
    const { method, config, schema } = options;
    const { attemptIn, recordedAs = schema?.operationId ?? '' } = config ?? {};
    if (attemptIn === undefined || method === 'HEAD') return;
    addHooks(options, (request, reply) => {
      const route = { name: recordedAs, attemptIn };
      const parts = { recorder, route, request, reply, at: clock.now() };
      return (reply.exchange = new OpenExchange(parts));
    });
  });
}

function addHooks(
  options: RouteOptions,
  open: (request: FastifyRequest, reply: FastifyReply) => OpenExchange,
): void {
  // A page may have secrets in its forms, and it is long.
  const isPage = options.config?.page === true;
  const { onRequest = [], onSend = [], onResponse = [] } = options;
  options.onRequest = [
    (request, reply, done) => {
      open(request, reply);
      done();
    },
    ...[onRequest].flat(),
  ];
  options.onSend = [
    ...[onSend].flat(),
    (request, reply, payload, done) => {
      // A check of all routes, which comes first, may have refused the request.
      const exchange = reply.exchange ?? open(request, reply);
      exchange.answer(typeof payload === 'string' && !isPage ? payload : null);
      done(null, payload);
    },
  ];
  options.onResponse = [
    ...[onResponse].flat(),
    (_request, reply, done) => {
      reply.exchange?.sent();
      done();
    },
  ];
}

/** The attempt of this request, which only its handler knows, and what the exchange is then called. */
export function nameAttempt(reply: FastifyReply, attemptId: string, name?: string): void {
  reply.exchange?.isOf(attemptId, name);
}

/** An attempt has begun by this request. */
export function recordStart(
  context: HttpContext,
  request: FastifyRequest,
  reply: FastifyReply,
  attemptId: AttemptId,
): void {
  if (context.recorder === null) return;
  nameAttempt(reply, attemptId);
  const scope = scopeOfRequest(context, request);
  // A back end that names no address stands for the device of its person.
  const address = callerOf(context, request).endUserAddress ?? context.addresses.of(request);
  context.recorder.begin({ attemptId, scope, address });
}
