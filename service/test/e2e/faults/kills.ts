import { runCrashCycles } from '../../support/faults/crash-cycles.ts';
import type { FaultRun } from './fault-run.ts';
import { sayCycle } from './say-cycle.ts';

export const KILLS: FaultRun<'kills'> = {
  name: 'kills',
  fault: '`kill -9` of the instance under load, with a file',
  promise: 'nothing acknowledged is lost',
  options: { kills: 500 },
  planted: [],
  async run({ options, seed, say }) {
    const report = await runCrashCycles(options.kills, seed, sayCycle(say));
    const { violations, cycles, attempts, tokens, slowestRecoveryMs, ...figures } = report;
    return {
      cycles,
      acknowledged: attempts,
      tokens,
      recoveryMs: slowestRecoveryMs,
      faults: violations,
      figures,
    };
  },
};
