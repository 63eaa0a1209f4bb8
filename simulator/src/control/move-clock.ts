import { DEFAULT_SCOPE } from '../engine/scenario.ts';
import type { TypedApp } from '../http/type-provider.ts';
import type { ControlOptions } from '../options.ts';
import { ControlError } from './errors.ts';
import { ClockAnswer, ClockBody, clockRow, moveOf } from './clock-wire.ts';
import { scopeOfCaller } from './scope.ts';

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
