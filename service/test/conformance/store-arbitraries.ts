import * as fc from 'fast-check';
import { FLOWS } from '../../src/attempt/flow.ts';
import { DAY_MS, MINUTE_MS, SECOND_MS, type Ms } from '../../src/values/time.ts';

/** Few slots and people, so that random operations use the same rows. */
const SLOTS = 4;
const PEOPLE = 2;

const slot = fc.nat({ max: SLOTS - 1 });
const person = fc.nat({ max: PEOPLE - 1 });
const flow = fc.constantFrom(...FLOWS);
const code = fc.constantFrom('none', 'right', 'wrong');

const TRANSITIONS = [
  fc.record({
    op: fc.constant('authenticate'),
    slot,
    flow,
    person,
    withCode: fc.boolean(),
    isCounted: fc.boolean(),
  }),
  fc.record({ op: fc.constant('reject'), slot }),
  fc.record({ op: fc.constant('fail'), slot }),
  fc.record({ op: fc.constant('cancel'), slot }),
  fc.record({ op: fc.constant('countWrongCode'), slot }),
  fc.record({ op: fc.constant('redeem'), slot, code, rightToken: biased(), sealed: biased() }),
  fc.record({ op: fc.constant('consume'), slot, code }),
  fc.record({ op: fc.constant('open'), slot, kind: fc.constantFrom('redirect', 'push') }),
  fc.record({ op: fc.constant('bindBrowser'), slot, browser: fc.nat({ max: 1 }) }),
  fc.record({ op: fc.constant('replaceSession'), slot, browser: fc.nat({ max: 1 }) }),
  fc.record({ op: fc.constant('rotateCompletion'), slot }),
  fc.record({ op: fc.constant('recordApprovalSeen'), slot }),
  fc.record({ op: fc.constant('spoil'), slot }),
  fc.record({ op: fc.constant('push'), slot, person }),
  fc.record({ op: fc.constant('withdraw'), slot, person }),
  fc.record({ op: fc.constantFrom('disable', 'enable', 'revokeAll'), slot, person }),
] as const;

/** Operations for races: each concerns a single attempt, or one person's budget. */
export const transitions = fc.oneof(...TRANSITIONS);

export const operations = fc.oneof(
  { weight: 3, arbitrary: fc.record({ op: fc.constant('advance'), ms: advances() }) },
  {
    weight: 3,
    arbitrary: fc.record({
      op: fc.constant('insert'),
      slot,
      flow,
      providerLifetime: fc.option(fc.constantFrom(MINUTE_MS, 10 * MINUTE_MS)),
    }),
  },
  { weight: 10, arbitrary: transitions },
  { weight: 1, arbitrary: fc.record({ op: fc.constant('missReplay'), slot }) },
  { weight: 1, arbitrary: fc.record({ op: fc.constantFrom('find', 'listCalls'), slot }) },
  { weight: 1, arbitrary: fc.record({ op: fc.constant('recordCall'), slot }) },
  { weight: 2, arbitrary: fc.record({ op: fc.constant('readAudit'), slot }) },
  { weight: 1, arbitrary: fc.record({ op: fc.constant('findTransaction'), slot }) },
  { weight: 1, arbitrary: fc.record({ op: fc.constant('findTokenOfAttempt'), slot }) },
  {
    weight: 1,
    arbitrary: fc.record({
      op: fc.constant('list'),
      person,
      limit: fc.integer({ min: 1, max: 4 }),
    }),
  },
  { weight: 2, arbitrary: fc.record({ op: fc.constant('revoke'), slot, person }) },
  { weight: 1, arbitrary: fc.record({ op: fc.constant('purge'), ago: advances() }) },
);

/** Steps of a sign-in that goes well, as far as the attempt is still open. */
const steps = fc.oneof(
  fc.record({
    op: fc.constant('insert'),
    slot,
    flow: fc.constant(FLOWS[0]),
    providerLifetime: fc.constant(null),
  }),
  fc.record({
    op: fc.constant('authenticate'),
    slot,
    flow: fc.constant(FLOWS[0]),
    person,
    withCode: fc.boolean(),
    isCounted: fc.boolean(),
  }),
  fc.record({
    op: fc.constant('redeem'),
    slot,
    code: fc.constantFrom('none', 'right'),
    rightToken: fc.constant(true),
    sealed: fc.boolean(),
  }),
  fc.record({ op: fc.constantFrom('disable', 'enable'), slot, person }),
  fc.record({
    op: fc.constant('advance'),
    ms: fc.constantFrom(1, 2 * MINUTE_MS - 1, 2 * MINUTE_MS, 2 * MINUTE_MS + 1),
  }),
);

/** Gets further than `operations`, to guards that many steps have to pass before. */
export const signIns = fc.oneof(
  { weight: 3, arbitrary: steps },
  { weight: 2, arbitrary: operations },
);

export type Transition = typeof transitions extends fc.Arbitrary<infer Value> ? Value : never;
export type Operation = typeof operations extends fc.Arbitrary<infer Value> ? Value : never;

/** Mostly true, so that most steps are valid and sequences get further. */
function biased(): fc.Arbitrary<boolean> {
  return fc.oneof(
    { weight: 4, arbitrary: fc.constant(true) },
    { weight: 1, arbitrary: fc.constant(false) },
  );
}

/** Times just before and after the lifetimes of codes, attempts and tokens. */
function advances(): fc.Arbitrary<Ms> {
  const near = [0, SECOND_MS, MINUTE_MS, 2 * MINUTE_MS, 5 * MINUTE_MS, 30 * DAY_MS];
  return fc.constantFrom(...near.flatMap((ms) => [ms, ms + 1, Math.max(0, ms - 1)]));
}
