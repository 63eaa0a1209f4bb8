import { DURATION_PATTERN, MOMENT_PATTERN, type ControlAnswers } from '@miftah/contract/control';
import type { Schema, Static } from '@miftah/schema';
import { expect, expectTypeOf, test } from 'vitest';
import type { AttemptsAnswer } from '../src/control/attempts/attempts-wire.ts';
import { ClockBody, type ClockAnswer } from '../src/control/conditions/clock.ts';
import type { FaultsAnswer } from '../src/control/conditions/faults.ts';
import type { NextAnswer } from '../src/control/conditions/outcomes.ts';
import type { SessionCodeAnswer } from '../src/control/session.ts';
import type { TimeLineAnswer } from '../src/control/attempts/time-line-wire.ts';
import type { WebhooksAnswer } from '../src/control/watching/webhooks.ts';
import type { OutcomesAnswer, PeopleAnswer, ResetAnswer } from '../src/control/wire.ts';

/** What callers of the control API read is in what the schemas of its answers promise. */

interface Promised {
  readonly listAttempts: typeof AttemptsAnswer;
  readonly readAttempt: typeof TimeLineAnswer;
  readonly listPeople: typeof PeopleAnswer;
  readonly resetScope: typeof ResetAnswer;
  readonly listOutcomes: typeof OutcomesAnswer;
  readonly listNext: typeof NextAnswer;
  readonly readClock: typeof ClockAnswer;
  readonly listFaults: typeof FaultsAnswer;
  readonly createSessionCode: typeof SessionCodeAnswer;
  readonly listWebhooks: typeof WebhooksAnswer;
}

type DataOf<Answer extends Schema> =
  Static<Answer> extends { readonly data: infer Data } ? Data : never;

type Answered = { readonly [Id in keyof Promised]: DataOf<Promised[Id]> };

test('the types of the answers are those of the schemas', () => {
  expectTypeOf<Answered>().toExtend<Pick<ControlAnswers, keyof Promised>>();
});

test('durations and moments are those that the clock takes', () => {
  const taken = JSON.stringify(ClockBody);
  for (const pattern of [
    `^${DURATION_PATTERN}$`,
    `^-?${DURATION_PATTERN}$`,
    `^${MOMENT_PATTERN}$`,
  ]) {
    expect(taken).toContain(`"pattern":${JSON.stringify(pattern)}`);
  }
});
