import type {
  FastifyError,
  FastifyInstance,
  FastifyPluginCallback,
  FastifyReply,
  FastifyRequest,
} from 'fastify';
import type { Engine } from '../engine/engine.ts';
import { GATEWAY_REFUSAL } from '../engine/outcomes/answer-faults.ts';
import { replyScenarioRefusal, ScenarioRefusal, scenarioOf } from '../http/request-scenario.ts';
import { acceptOnlyJson, bodyFaultOf } from '../http/bodies.ts';
import { replyRecord, replyRefusal, cutConnection } from '../http/faulty-answer.ts';
import { dateAnswers } from '../http/stamp.ts';
import { replyUnknownPath } from '../http/unknown-path.ts';
import { sameSecret } from '../access/same-secret.ts';
import { checkOnly, type SchemaTypes, type TypedApp } from '../http/type-provider.ts';
import type { Credentials, ProviderOptions } from '../options.ts';
import { noteStages } from './call-stages.ts';
import { meetFaults, damageAnswer } from './meet-faults.ts';
import { recordCalls } from './record-calls.ts';
import { DEFAULT_LOCALE } from '../engine/locale.ts';
import { requestSession } from '../engine/prompts/request-session.ts';
import {
  SessionBody,
  SessionQuery,
  PushAnswer,
  PushBody,
  PushQuery,
  StatusAnswer,
  StatusBody,
  KeysAnswer,
  ExchangeAnswer,
  ExchangeBody,
  TokenBody,
  Valid,
} from '../http/wire.ts';
import { closingOf } from '../http/closing.ts';
import type { PushAccepted, PushResult } from '../engine/results.ts';
import type { Timer } from '../platform/timer.ts';

/** Area B: the endpoints of the interface document, and the provider's error answers. */
export const provider: FastifyPluginCallback<ProviderOptions> = (scope, options, done) => {
  const app = scope.withTypeProvider<SchemaTypes>();
  acceptOnlyJson(scope);
  dateAnswers(scope, options.time.provider);

  app.setValidatorCompiler(checkOnly);
  // Without a prefix, unknown paths are for the application around this plugin.
  if (scope.prefix !== '') scope.setNotFoundHandler((_request, reply) => replyUnknownPath(reply));
  scope.setErrorHandler(answerError(options.engine));
  noteStages(scope);
  meetFaults(scope, options);
  recordCalls(scope, options);
  requireCredentials(scope, options.credentials);
  createSession(app, options);
  createPush(app, options);
  readPushStatus(app, options);
  listKeys(app, options);
  exchangeState(app, options);
  checkToken(app, options);
  done();
};

/** The gateway checks the path before the credentials: an unknown path is 404 for everybody. */
function requireCredentials(scope: FastifyInstance, wanted: Credentials | null): void {
  if (wanted === null) return;
  scope.addHook('onRequest', (request, reply, done) => {
    if (request.is404 || isWanted(request, wanted)) return done();
    reply.code(403).type('text/plain').send(GATEWAY_REFUSAL);
  });
}

/** Gateways of this kind accept either spelling; both headers must have the same one. */
const KEY_HEADERS = [
  ['app-id', 'app-key'],
  ['app_id', 'app_key'],
] as const;

function isWanted({ headers }: FastifyRequest, wanted: Credentials): boolean {
  return KEY_HEADERS.some(([id, key]) => {
    const isKnownApp = sameSecret(String(headers[id]), wanted.appId);
    const isRightKey = sameSecret(String(headers[key]), wanted.appKey);
    return isKnownApp && isRightKey;
  });
}

/** A faulty request is answered with an error record; only an error of the program gives a 500. */
function answerError(engine: Engine) {
  return (error: FastifyError | ScenarioRefusal, request: FastifyRequest, reply: FastifyReply) => {
    // An unsupported body is reported before an unknown path, so the path has to be checked here.
    if (request.is404) return replyUnknownPath(reply);
    if (error instanceof ScenarioRefusal) return replyScenarioRefusal(reply, error);
    if (error.validationContext !== undefined) {
      return replyRecord(reply, engine.record('invalidRequest'));
    }
    const fault = bodyFaultOf(error);
    if (fault !== null) return replyRecord(reply, engine.record(fault));
    request.log.error(error);
    return reply.code(500).type('text/plain').send('Internal Server Error\n');
  };
}

/** GET /api/v2/oidc/session: opens a session and gives the address of its sign-in page. */
function createSession(app: TypedApp, { engine }: ProviderOptions): void {
  const schema = {
    operationId: 'createSession',
    summary: 'Open a sign-in by browser',
    querystring: SessionQuery,
    response: { 200: SessionBody },
  };
  // A HEAD request would open a session that nobody can use.
  const config = { operation: 'session' } as const;
  app.get(
    '/api/v2/oidc/session',
    { schema, config, exposeHeadRoute: false },
    async (request, reply) => {
      const { locale = DEFAULT_LOCALE, requestId } = request.query;
      const scenario = scenarioOf(request, 'redirect');
      const result = requestSession(engine, { locale, requestId, scenario });
      if (!result.ok) return replyRefusal(reply, result);
      if (result.damaged !== null) damageAnswer(request, result.damaged);
      return reply.send(result.session);
    },
  );
}

/** POST /api/v1/mfa/request: sends a prompt to the person's phone. */
function createPush(app: TypedApp, options: ProviderOptions): void {
  const { engine, timer, resultSender, pushStatus } = options;
  const closing = closingOf(app);
  const schema = {
    operationId: 'requestMfa',
    summary: 'Ask a person on the phone',
    querystring: PushQuery,
    body: PushBody,
    response: { [pushStatus]: PushAnswer },
  };
  app.post(
    '/api/v1/mfa/request',
    { schema, config: { operation: 'mfa_request' } },
    async (request, reply) => {
      const { local: locale = DEFAULT_LOCALE, requestId } = request.query;
      const { nationalId, service } = request.body;
      const scenario = scenarioOf(request, 'push');
      const result = engine.createPush({ requestId, locale, nationalId, service, scenario });
      if (result.ok) await resultSender?.deliverBeforeReply(result.promptId);
      return replyPush(reply.code(pushStatus), result, timer, closing);
    },
  );
}

/** POST /api/v1/mfa/request/status: the status of a push. It never identifies the person. */
function readPushStatus(app: TypedApp, { engine }: ProviderOptions): void {
  const schema = {
    operationId: 'readMfaStatus',
    summary: 'What has become of a push',
    body: StatusBody,
    response: { 200: StatusAnswer },
  };
  const config = { operation: 'mfa_status' } as const;
  app.post('/api/v1/mfa/request/status', { schema, config }, (request, reply) => {
    const { nationalId, transId: transactionId, random: bindingCode } = request.body;
    const result = engine.pushStatus({ nationalId, transactionId, bindingCode });
    if (result.ok) reply.send({ status: result.status });
    else replyRecord(reply, result.record);
  });
}

/** GET /api/v1/mfa/jwk: the public keys for the tokens of both flows. */
function listKeys(app: TypedApp, { engine, keys }: ProviderOptions): void {
  const schema = {
    operationId: 'listPublicKeys',
    summary: 'The public keys of both flows',
    response: { 200: KeysAnswer },
  };
  const config = { operation: 'jwk' } as const;
  app.get('/api/v1/mfa/jwk', { schema, config, exposeHeadRoute: false }, async () => ({
    keys: [...(await keys.published(engine.now()))],
  }));
}

/** POST /api/v2/oidc/jwt: exchanges a state for the token of the person who signed in, once. */
function exchangeState(app: TypedApp, { engine, signer }: ProviderOptions): void {
  const schema = {
    operationId: 'exchangeState',
    summary: 'Exchange a state for a token, once',
    body: ExchangeBody,
    response: { 200: ExchangeAnswer },
  };
  app.post(
    '/api/v2/oidc/jwt',
    { schema, config: { operation: 'exchange' } },
    async (request, reply) => {
      const { state } = request.body;
      const result = engine.exchange(state);
      if (!result.ok) return replyRecord(reply, result.record);
      return reply.send({ state, token: await signer.sign(result.token) });
    },
  );
}

/**
 * POST /api/v2/oidc/jwt/valid: whether a token is the provider's and valid now: `true` or `false`.
 */
function checkToken(app: TypedApp, { engine, signer }: ProviderOptions): void {
  const schema = {
    operationId: 'checkToken',
    summary: 'Whether a token is one of ours and good now',
    body: TokenBody,
    response: { 200: Valid },
  };
  app.post(
    '/api/v2/oidc/jwt/valid',
    { schema, config: { operation: 'token_valid' } },
    async ({ body }) => {
      const claims = await signer.read(body.id_token, engine.now());
      return claims !== null;
    },
  );
}

/**
 * Sends the answer to a push request, or its fault.
 * @param reply has the status for an accepted push
 */
async function replyPush(
  reply: FastifyReply,
  result: PushResult,
  timer: Timer,
  closing: AbortSignal,
): Promise<FastifyReply> {
  if (result.ok) return replyAccepted(reply, result);
  switch (result.kind) {
    case 'malformed':
      // A text body is sent unchanged, so the answer stays invalid JSON.
      return reply.type('application/json').send(result.body);
    case 'cut':
      return cutConnection(reply, result.body);
    case 'timeout':
      await timer.sleep(result.afterMs, closing);
      return replyAccepted(reply, result.late);
    case 'record':
    case 'gateway':
    case 'outage':
      return replyRefusal(reply, result);
  }
}

function replyAccepted(reply: FastifyReply, accepted: PushAccepted): FastifyReply {
  return reply.send({ transId: accepted.transactionId, random: accepted.bindingCode });
}
