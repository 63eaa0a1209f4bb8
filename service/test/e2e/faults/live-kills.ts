import { runLiveKills } from '../../support/faults/live-kills.ts';
import type { FaultRun } from './fault-run.ts';
import { sayCycle } from './say-cycle.ts';

export const LIVE_KILLS: FaultRun<'live-kills'> = {
  name: 'live-kills',
  fault: '`kill -9` in live mode, with a file, while people sign in at the simulator',
  promise: 'nothing acknowledged is lost',
  options: { 'live-kills': 100 },
  planted: [],
  async run({ options, seed, say }) {
    const report = await runLiveKills(options['live-kills'], seed, sayCycle(say));
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
