/** The clock: a move in, the state of the time out. */
import {
  boolean,
  integer,
  nothing,
  object,
  oneOf,
  openObject,
  string,
  union,
  type Static,
} from '@miftah/schema';
import { isCalendarDay } from '../../engine/people/calendar-day.ts';
import type { Ms } from '../../engine/ports.ts';
import type { Move, TimeState } from '../../platform/movable-time.ts';
import { DEFAULT_SCOPE } from '../../engine/scenario.ts';
import type { TypedApp } from '../../http/type-provider.ts';
import type { ControlOptions } from '../../options.ts';
import { ControlError } from '../errors.ts';
import { scopeOfCaller } from '../scope.ts';

const UNITS_MS = new Map([
  ['ms', 1],
  ['s', 1000],
  ['m', 60_000],
  ['h', 3_600_000],
  ['d', 86_400_000],
]);
const DURATION = '(0|[1-9][0-9]{0,9})(ms|s|m|h|d)';
const TIME = String.raw`\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d{1,3})?(Z|[+-]\d{2}:\d{2})`;

/** Only forward: to go back in time is to freeze it at a time, or to reset it. */
const Advance = object({ advance: string({ pattern: `^${DURATION}$`, examples: ['5m'] }) });
const Freeze = object({
  freeze: union(
    oneOf(['now']),
    string({ pattern: `^${TIME}$`, examples: ['2026-01-31T09:05:00Z'] }),
  ),
});
const Skew = object({ skew: string({ pattern: `^-?${DURATION}$`, examples: ['-2m'] }) });
const Reset = object({ reset: boolean({ const: true }) });

export const ClockBody = union(Advance, Freeze, Skew, Reset);

const ClockRow = openObject({
  now: string({ format: 'date-time', description: 'The time of the service.' }),
  frozen: boolean(),
  movable: boolean({ description: 'Whether this caller may move it, in its scope.' }),
  ahead_ms: integer({ description: 'From the clock of the machine; negative: behind.' }),
  skew_ms: integer({
    description: 'How far the clock of the provider is ahead of the service’s; negative: behind.',
  }),
  keeps_ms: union(
    integer({
      description:
        'How long an attempt is kept after its expiry: a longer move removes it for good.',
    }),
    nothing(),
  ),
});

export const ClockAnswer = openObject(
  { data: ClockRow },
  { description: 'The time of the service, and of the provider.' },
);

/** Null for a date that does not exist. */
function moveOf(body: Static<typeof ClockBody>): Move | null {
  if ('advance' in body) return { advance: durationOf(body.advance) };
  if ('skew' in body) return { skew: durationOf(body.skew) };
  if ('reset' in body) return { reset: true };
  if (body.freeze === 'now') return { freeze: 'now' };
  const at = Date.parse(body.freeze);
  return Number.isNaN(at) || !isCalendarDay(body.freeze.slice(0, 10)) ? null : { freeze: at };
}

/** What a caller may do with the time, and what a move does to attempts. */
interface Moving {
  readonly isMovable: boolean;
  /** Null: nothing is removed by its age. */
  readonly keepsMs: Ms | null;
}

function clockRow({ now, isFrozen, aheadMs, skewMs }: TimeState, moving: Moving) {
  const time = new Date(now).toISOString();
  return {
    now: time,
    frozen: isFrozen,
    movable: moving.isMovable,
    ahead_ms: aheadMs,
    skew_ms: skewMs,
    keeps_ms: moving.keepsMs,
  };
}

/** Of a text that the schema has accepted. */
function durationOf(text: string): Ms {
  const [, sign, count, unit = 'ms'] = /^(-?)(\d+)([a-z]+)$/.exec(text) ?? [];
  return (sign === '-' ? -1 : 1) * Number(count) * (UNITS_MS.get(unit) ?? 1);
}

const TAKES =
  'The body is one of {"advance":"5m"}, {"freeze":"now"}, {"freeze":"2026-01-31T09:05:00Z"}, ' +
  '{"skew":"-2m"} and {"reset":true}. A duration is a number and ms, s, m, h or d. Neither clock ' +
  'leaves the years 2000 to 2099.';

const REFUSES = ['clock.of_instance', 'clock.shared'] as const;

const response = { 200: ClockAnswer };

/** GET /simulator/clock: the time of the service, and how it has been moved. */
export function readClock(app: TypedApp, { time, mayMoveTime, keepsMs }: ControlOptions): void {
  const schema = { operationId: 'readClock', summary: 'The time, and how it was moved', response };
  app.get('/clock', { schema }, (request) => {
    const isMovable = mayMoveTime && scopeOfCaller(request) === DEFAULT_SCOPE;
    return { data: clockRow(time.state(), { isMovable, keepsMs }) };
  });
}

/** POST /simulator/clock: moves the time for everything that the service and the provider do. */
export function moveClock(app: TypedApp, { time, mayMoveTime, keepsMs }: ControlOptions): void {
  const schema = {
    operationId: 'moveClock',
    summary: 'Move the time, stop it, or take it back',
    body: ClockBody,
    response,
  };
  app.post(
    '/clock',
    { schema, config: { takes: TAKES, refuses: REFUSES } },
    async ({ body, headers }) => {
      const move = moveOf(body);
      if (scopeOfCaller({ headers }) !== DEFAULT_SCOPE) throw new ControlError('clock.of_instance');
      if (!mayMoveTime) throw new ControlError('clock.shared');
      if (move === null || !(await time.move(move))) throw new ControlError('validation.failed');
      return { data: clockRow(time.state(), { isMovable: true, keepsMs }) };
    },
  );
}
