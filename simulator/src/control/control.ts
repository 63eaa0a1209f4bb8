import type { FastifyPluginCallback } from 'fastify';
import { answerControlError, ControlError } from './errors.ts';
import { guardControl } from './guard.ts';
import { acceptOnlyJson } from '../http/json-body.ts';
import { checkOnly, type SchemaTypes } from '../http/type-provider.ts';
import { serveDescription } from '../openapi.ts';
import type { ControlOptions } from '../options.ts';
import { AllPrompts } from './all-prompts.ts';
import { decidePrompt } from './decide-prompt.ts';
import { listFaults, setFaults } from './faults.ts';
import { announceKey, listKeys, rotateKeys } from './keys.ts';
import { listAttempts } from './list-attempts.ts';
import { listOutcomes } from './list-outcomes.ts';
import { changePeople } from './change-people.ts';
import { listPeople } from './list-people.ts';
import { listPrompts } from './list-prompts.ts';
import { moveClock, readClock } from './move-clock.ts';
import { resetScope } from './reset-scope.ts';
import { waitUntil } from './wait.ts';

/** The control API: lets a script do what a person does on the phone or on the sign-in page. */
export const control: FastifyPluginCallback<ControlOptions> = (scope, options, done) => {
  const app = scope.withTypeProvider<SchemaTypes>();
  acceptOnlyJson(scope);
  app.setValidatorCompiler(checkOnly);
  guardControl(scope, options.control);
  scope.setErrorHandler(answerControlError);
  scope.setNotFoundHandler(() => {
    throw new ControlError('route.not_found');
  });
  const prompts = new AllPrompts(options.engine, options.hosted);
  listPrompts(app, prompts);
  decidePrompt(app, prompts, options);
  waitUntil(app, prompts, options);
  listAttempts(app, options);
  listPeople(app, options);
  changePeople(app, options);
  resetScope(app, prompts);
  listOutcomes(app);
  listFaults(app, options);
  setFaults(app, options);
  readClock(app, options);
  moveClock(app, options);
  listKeys(app, options);
  announceKey(app, options);
  rotateKeys(app, options);
  serveDescription(scope);
  done();
};
