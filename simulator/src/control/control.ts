import type { FastifyError, FastifyPluginCallback } from 'fastify';
import { answerControlError, ControlError } from './errors.ts';
import { readIdsOfAddress } from './canonical-ids.ts';
import { guardControl } from './guard.ts';
import { acceptOnlyJson } from '../http/json-body.ts';
import { checkOnly, type SchemaTypes } from '../http/type-provider.ts';
import { serveDescription } from '../openapi.ts';
import { Imports } from '../journal/imports.ts';
import type { ControlOptions } from '../options.ts';
import { AllPrompts } from './all-prompts.ts';
import { BrowserSessions } from './browser-sessions.ts';
import { decidePrompt } from './decide-prompt.ts';
import { streamEvents } from './events.ts';
import { listFaults, setFaults } from './faults.ts';
import { announceKey, listKeys, rotateKeys } from './keys.ts';
import { listAttempts } from './list-attempts.ts';
import { listOutcomes } from './list-outcomes.ts';
import { changePeople } from './change-people.ts';
import { listPeople } from './list-people.ts';
import { listPrompts } from './list-prompts.ts';
import { listWebhooks } from './list-webhooks.ts';
import { moveClock, readClock } from './move-clock.ts';
import { clearNext, listNext, queueNext } from './next.ts';
import { importAttempt } from './import-attempt.ts';
import { replayAttempt } from './replay.ts';
import { exportAttempt, readAttempt } from './read-attempt.ts';
import { TimeLines } from './time-lines.ts';
import { resetScope } from './reset-scope.ts';
import { beginSession, createSessionCode, endSession } from './session.ts';
import { unknownRoute } from './unknown-route.ts';
import { refuseUnusedQuery } from './unused-query.ts';
import { waitUntil } from './wait.ts';

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
