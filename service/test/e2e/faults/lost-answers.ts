import { runLostAnswers } from '../../support/faults/lost-answers.ts';
import { outcomeOfCycles } from './cycles.ts';
import type { FaultRun } from './fault-run.ts';

const ROUNDS_FOR_KILL = 20;

export const LOST_ANSWERS: FaultRun<'lost-answers'> = {
  name: 'lost-answers',
  fault: 'the answer to a redemption is lost: its connection is cut, or the service killed',
  promise: 'the same `Idempotency-Key` gives the same token, and there is one',
  options: { 'lost-answers': 1000 },
  planted: ['a repetition with the key of the first request is refused'],
  async run({ options, seed }) {
    const report = await runLostAnswers(options['lost-answers'], ROUNDS_FOR_KILL, seed);
    return {
      ...outcomeOfCycles(report),
      kinds: `${report.kills} by a kill; ${report.tookEffect} had taken effect`,
    };
  },
};
