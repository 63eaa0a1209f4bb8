import type { FastifyError, FastifyPluginCallback, FastifyInstance, FastifyRequest } from 'fastify';
import { readIds } from '@miftah/contract/uuid';
import { answerControlError, ControlError } from './errors.ts';
import { guardControl } from './guard.ts';
import { acceptOnlyJson } from '../http/bodies.ts';
import { checkOnly, type SchemaTypes } from '../http/type-provider.ts';
import { serveDescription } from '../openapi.ts';
import { Imports } from '../journal/imports.ts';
import type { ControlOptions } from '../options.ts';
import { AllPrompts } from './all-prompts.ts';
import { BrowserSessions, beginSession, createSessionCode, endSession } from './session.ts';
import { decidePrompt, listPrompts } from './prompts.ts';
import { streamEvents } from './watching/events.ts';
import { listFaults, setFaults } from './conditions/faults.ts';
import { announceKey, listKeys, rotateKeys } from './conditions/keys.ts';
import { listAttempts, exportAttempt, readAttempt } from './attempts/attempts.ts';
import { nextOfOpenid, rotateOpenidKeys } from './conditions/openid.ts';
import { listOutcomes, clearNext, listNext, queueNext } from './conditions/outcomes.ts';
import { changePeople, listPeople } from './conditions/people.ts';
import { listWebhooks } from './watching/webhooks.ts';
import { moveClock, readClock } from './conditions/clock.ts';
import { importAttempt } from './attempts/import.ts';
import { replayAttempt } from './attempts/replay.ts';
import { TimeLines } from './attempts/time-lines.ts';
import { resetScope } from './reset-scope.ts';
import { unknownRoute } from './unknown-route.ts';
import { waitUntil } from './watching/wait.ts';

/** The control API: lets a script do what a person does on the phone or on the sign-in page. */
export const control: FastifyPluginCallback<ControlOptions> = (scope, options, done) => {
  const app = scope.withTypeProvider<SchemaTypes>();
  acceptOnlyJson(scope);
  app.setValidatorCompiler(checkOnly);
  const browserSessions = new BrowserSessions(options);
  guardControl(scope, options.control, browserSessions);
  readIdsOfAddress(scope);
  refuseUnusedQuery(scope);
  scope.setErrorHandler((error: FastifyError, request, reply) => {
    // An unsupported body is reported before an unknown path, so the path has to be checked here.
    const isKnown = !request.is404 || error instanceof ControlError;
    const refusal = isKnown ? error : unknownRoute(options.routes, request);
    return answerControlError(refusal, request, reply);
  });
  if (!options.hostRefusesUnknown) {
    scope.setNotFoundHandler((request) => {
      throw unknownRoute(options.routes, request);
    });
  }
  const prompts = new AllPrompts(options.engine, options);
  const timeLines = new TimeLines(options, prompts, new Imports());
  listPrompts(app, prompts);
  decidePrompt(app, prompts, options);
  waitUntil(app, prompts, options);
  listAttempts(app, timeLines);
  readAttempt(app, timeLines);
  exportAttempt(app, timeLines, options);
  importAttempt(app, timeLines, options);
  replayAttempt(app, timeLines, options);
  streamEvents(app, prompts, timeLines, options);
  listWebhooks(app, options);
  listPeople(app, options);
  changePeople(app, options);
  resetScope(app, { prompts, timeLines, browserSessions, webhooks: options.webhooks });
  listOutcomes(app);
  listNext(app, options);
  queueNext(app, options);
  clearNext(app, options);
  listFaults(app, options);
  setFaults(app, options);
  nextOfOpenid(app, options);
  rotateOpenidKeys(app, options);
  readClock(app, options);
  moveClock(app, options);
  listKeys(app, options);
  announceKey(app, options);
  rotateKeys(app, options);
  createSessionCode(app, options);
  beginSession(app, browserSessions);
  endSession(app, browserSessions);
  serveDescription(scope);
  done();
};

/** Every member of an address that names an attempt or a prompt. The id of a person is no UUID. */
const NAMED_IDS = ['id', 'attempt_id', 'request_id', 'before'] as const;

/** RFC 9562 section 4: a UUID is read in either case. */
function readIdsOfAddress(scope: FastifyInstance): void {
  scope.addHook('onRequest', ({ params, query }, _reply, done) => {
    readIds(params, NAMED_IDS);
    readIds(query, NAMED_IDS);
    done();
  });
}

const TAKES = 'The query has to be empty: this operation takes no query.';

/**
 * Refuses a query of an operation that declares none, as the others refuse unknown members of
 * theirs. Without it a misspelled address would be answered as if the query had been used.
 */
function refuseUnusedQuery(scope: FastifyInstance): void {
  scope.addHook('preValidation', (request, _reply, done) => {
    if (hasUnusedQuery(request)) throw new ControlError('validation.failed', { takes: TAKES });
    done();
  });
}

function hasUnusedQuery({ is404, query, routeOptions }: FastifyRequest): boolean {
  if (is404 || routeOptions.schema?.querystring !== undefined) return false;
  return Object.keys(query ?? {}).length > 0;
}
