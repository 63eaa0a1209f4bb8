import type { ChosenOutcome } from '../engine/scenario.ts';
import { chooseOutcome, faultOfChoice } from '../engine/scenario.ts';
import type { TypedApp } from '../http/type-provider.ts';
import type { ControlOptions } from '../options.ts';
import { ControlError, scopesFull } from './errors.ts';
import { NextAnswer, NextBody } from './next-wire.ts';
import { scopeOfCaller } from './scope.ts';

const TAKES =
  'The body is {"outcome":"refuses"}, or with the seconds after which the person acts ' +
  '{"outcome":"refuses","after":3}.';

const response = { 200: NextAnswer };

/** GET /simulator/next: what waits for the next attempts of the scope, the oldest first. */
export function listNext(app: TypedApp, { engine }: ControlOptions): void {
  const schema = { operationId: 'listNext', summary: 'The outcomes that are queued', response };
  app.get('/next', { schema }, (request) => answerFor(engine.next.list(scopeOfCaller(request))));
}

/** POST /simulator/next: queues an outcome for the next attempt of the scope. */
export function queueNext(app: TypedApp, { engine }: ControlOptions): void {
  const schema = {
    operationId: 'queueNext',
    summary: 'Choose what happens in the next attempt',
    body: NextBody,
    response,
  };
  app.post(
    '/next',
    { schema, config: { takes: TAKES, refuses: ['next.full', 'scopes.full'] } },
    (request) => {
      const scope = scopeOfCaller(request);
      const { outcome: key, after: seconds = null } = request.body;
      const choice = chooseOutcome({ key, seconds }, null);
      if (!choice.ok) {
        throw new ControlError('validation.failed', { faults: [faultOfChoice(choice.fault)] });
      }
      const queued = engine.next.add(scope, choice.outcome);
      if (queued === 'full') throw new ControlError('next.full');
      if (queued === 'no_place') throw scopesFull(engine.scopes);
      return answerFor(engine.next.list(scope));
    },
  );
}

/** DELETE /simulator/next: empties the queue of the scope. */
export function clearNext(app: TypedApp, { engine }: ControlOptions): void {
  const schema = { operationId: 'clearNext', summary: 'Queue nothing any more', response };
  app.delete('/next', { schema }, (request) => {
    const scope = scopeOfCaller(request);
    engine.next.clear(scope);
    return answerFor(engine.next.list(scope));
  });
}

function answerFor(queued: readonly ChosenOutcome[]) {
  return {
    data: queued.map(({ key, afterMs }) => ({
      outcome: key,
      after: afterMs === null ? null : afterMs / 1000,
    })),
  };
}
