import {
  integer,
  list,
  nothing,
  object,
  openObject,
  optional,
  string,
  union,
} from '@miftah/schema';
import { OutcomesAnswer } from '../wire.ts';
import { outcomePerson } from '../../engine/people/directory.ts';
import { mayWait, redirectTargetOf } from '../../engine/outcomes/outcome-reach.ts';
import { OUTCOMES } from '../../engine/outcomes/outcomes.ts';
import type { TypedApp } from '../../http/type-provider.ts';
import {
  MOST_SECONDS,
  type ChosenOutcome,
  chooseOutcome,
  faultOfChoice,
} from '../../engine/scenario.ts';
import type { ControlOptions } from '../../options.ts';
import { ControlError, scopesFull } from '../errors.ts';
import { scopeOfCaller } from '../scope.ts';

/** GET /simulator/outcomes: every outcome, its identity, and what it acts on in each flow. */
export function listOutcomes(app: TypedApp): void {
  const data = OUTCOMES.map((outcome) => {
    const { id: person, nationalId } = outcomePerson(outcome);
    return {
      national_id: nationalId,
      key: outcome.key,
      title: outcome.title,
      person,
      push: outcome.effect.on,
      redirect: redirectTargetOf(outcome),
      after: mayWait(outcome),
    };
  });
  const schema = {
    operationId: 'listOutcomes',
    summary: 'The outcomes that can be chosen, and the identities that have them',
    response: { 200: OutcomesAnswer },
  };
  app.get('/outcomes', { schema }, () => ({ data }));
}

const KEY_MAX = 40;

const NextBody = object({
  outcome: string({ minLength: 1, maxLength: KEY_MAX, examples: ['refuses'] }),
  after: optional(
    integer({
      minimum: 0,
      maximum: MOST_SECONDS,
      description: 'When the person acts, in seconds.',
    }),
  ),
});

const NextRow = openObject({
  outcome: string({ description: 'The key of an outcome.' }),
  after: union(integer({ description: 'In seconds.' }), nothing()),
});

export const NextAnswer = openObject(
  { data: list(NextRow) },
  { description: 'The outcomes that are queued, the next one first.' },
);

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
