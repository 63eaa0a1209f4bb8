import { runCrashCycles } from '../../support/faults/crash-cycles.ts';
import type { FaultRun } from './fault-run.ts';
import { outcomeOfCycles, sayCycle } from './cycles.ts';

export const KILLS: FaultRun<'kills'> = {
  name: 'kills',
  fault: '`kill -9` of the instance under load, with a file',
  promise: 'nothing acknowledged is lost',
  options: { kills: 500 },
  planted: [],
  async run({ options, seed, say }) {
    return outcomeOfCycles(await runCrashCycles(options.kills, seed, sayCycle(say)));
  },
};
