import { runClockSteps } from '../../support/faults/clock-run.ts';
import { findFaketime } from '../../support/faults/faketime.ts';
import type { FaultRun } from './fault-run.ts';

const STEPS = 3;

export const CLOCK: FaultRun<never> = {
  name: 'clock',
  fault: "the machine's clock is set forward, back, and right again",
  promise: 'what has expired stays expired',
  options: {},
  planted: ['a clock that is set forward is not followed', 'a clock that is set back is followed'],
  async run() {
    const library = findFaketime();
    if (library === null) return { notRun: 'there is no libfaketime' };
    const { faults, ...figures } = await runClockSteps(library);
    return {
      cycles: STEPS,
      acknowledged: null,
      tokens: null,
      recoveryMs: null,
      faults,
      figures,
    };
  },
};
