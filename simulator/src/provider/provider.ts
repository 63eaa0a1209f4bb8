import type {
  FastifyError,
  FastifyInstance,
  FastifyPluginCallback,
  FastifyReply,
  FastifyRequest,
} from 'fastify';
import type { Engine } from '../engine/engine.ts';
import { GATEWAY_REFUSAL } from '../engine/answer-faults.ts';
import { bodyFaultOf } from '../http/body-fault.ts';
import { replyScenarioRefusal, ScenarioRefusal } from '../http/request-scenario.ts';
import { acceptOnlyJson } from '../http/json-body.ts';
import { replyRecord } from '../http/faulty-answer.ts';
import { dateAnswers } from '../http/stamp.ts';
import { replyUnknownPath } from '../http/unknown-path.ts';
import { sameSecret } from '../http/same-secret.ts';
import { checkOnly, type SchemaTypes } from '../http/type-provider.ts';
import type { Credentials, ProviderOptions } from '../options.ts';
import { noteStages } from './call-stages.ts';
import { checkToken } from './check-token.ts';
import { createPush } from './create-push.ts';
import { createSession } from './create-session.ts';
import { exchangeState } from './exchange-state.ts';
import { listKeys } from './list-keys.ts';
import { meetFaults } from './meet-faults.ts';
import { recordCalls } from './record-calls.ts';
import { readPushStatus } from './read-push-status.ts';

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
