import type { FastifyInstance, FastifyReply, FastifyRequest, RouteOptions } from 'fastify';
import type { AttemptId } from '../../attempt/attempt-id.ts';
import { isUuid } from '../../values/uuid.ts';
import type { ExchangeRecorder } from './exchange-recorder.port.ts';
import type { Clock } from '../../platform/runtime.port.ts';
import { callerOf } from '../caller/caller.ts';
import { BASE_PATH, type HttpContext } from '../context.ts';
import { OpenExchange, type RecordedRoute } from './open-exchange.ts';
import { queryText } from '../answer/page-locale.ts';
import { scopeOfRequest } from '../request-target.ts';
import { textMember } from '../body/text-member.ts';

declare module 'fastify' {
  interface FastifyReply {
    /** Only where exchanges are recorded, and only for routes about an attempt. */
    exchange?: OpenExchange | null;
  }
}

type AttemptOf = RecordedRoute['attemptOf'];

const byHandler: AttemptOf = () => '';
const inPath: AttemptOf = ({ params }) => textMember(params, 'attempt_id');
const inQuery: AttemptOf = (request) => queryText(request, 'state');
const inMember =
  (name: string): AttemptOf =>
  ({ body }) =>
    textMember(body, name);

const route = (name: string, attemptOf: AttemptOf): RecordedRoute => ({
  nameOf: () => name,
  attemptOf,
});

/** The routes about one attempt, below the base path. Some modes lack some of them. */
export const RECORDED: Readonly<Record<string, RecordedRoute>> = {
  'POST /start': route('startAttempt', byHandler),
  'GET /status/:attempt_id': route('readStatus', inPath),
  'GET /status/:attempt_id/events': route('watchStatus', inPath),
  'DELETE /attempts/:attempt_id': route('cancelAttempt', inPath),
  'POST /token/:attempt_id': route('issueToken', inPath),
  'POST /callback': route('completeRedirect', inMember('state')),
  'POST /complete-mfa': route('completeMfa', inMember('attempt_id')),
  // The page that leads to the provider, or the return from it, whose state is no attempt's id.
  'GET /callback': {
    nameOf: (request) => (isUuid(inQuery(request)) ? 'launch' : 'callback'),
    attemptOf: inQuery,
  },
  'POST /callback/launch': route('launch', inMember('state')),
  'POST /callback/sign-in': route('callback', inMember('state')),
  'POST /provider/mfa-callback': route('push_callback', inMember('requestId')),
};

/**
 * Records the exchanges about attempts. Only their own routes get hooks. Must be called before the
 * routes are added.
 */
export function recordExchanges(app: FastifyInstance, recorder: ExchangeRecorder, clock: Clock) {
  app.decorateReply('exchange', null);
  app.addHook('onRoute', (options: RouteOptions) => {
    const { method, url } = options;
    const recorded = url.startsWith(BASE_PATH)
      ? RECORDED[`${String(method)} ${url.slice(BASE_PATH.length)}`]
      : undefined;
    if (recorded === undefined) return;
    addHooks(options, (request, reply) => {
      const parts = { recorder, route: recorded, request, reply, at: clock.now() };
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

/** The attempt of this request, which only its handler knows. */
export function nameAttempt(reply: FastifyReply, attemptId: string): void {
  if (reply.exchange) reply.exchange.attemptId = attemptId;
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
