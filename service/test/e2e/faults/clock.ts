import { runClockBeside } from '../../support/faults/clock-beside.ts';
import { runClockSteps } from '../../support/faults/clock-run.ts';
import { findFaketime } from '../../support/faults/faketime.ts';
import { startPostgres } from '../../support/postgres/server.ts';
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

export const CLOCK_BESIDE: FaultRun<never> = {
  name: 'clock-postgres',
  fault:
    'the clock of one of two instances on PostgreSQL jumps by +1 h and by -2 h, also at a restart',
  promise: 'both follow the clock of the database: nothing expires early, and nothing later',
  options: {},
  planted: [],
  async run() {
    const library = findFaketime();
    if (library === null) return { notRun: 'there is no libfaketime' };
    const server = await startPostgres();
    try {
      const faults = await runClockBeside(library, server.url);
      const cycles = 4;
      return { cycles, acknowledged: null, tokens: null, recoveryMs: null, faults, figures: {} };
    } finally {
      await server.close();
    }
  },
};
