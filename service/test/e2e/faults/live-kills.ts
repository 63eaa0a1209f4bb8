import { runLiveKills } from '../../support/faults/live-kills.ts';
import type { FaultRun } from './fault-run.ts';
import { outcomeOfCycles, sayCycle } from './cycles.ts';

export const LIVE_KILLS: FaultRun<'live-kills'> = {
  name: 'live-kills',
  fault: '`kill -9` in live mode, with a file, while people sign in at the simulator',
  promise: 'nothing acknowledged is lost',
  options: { 'live-kills': 100 },
  planted: [],
  async run({ options, seed, say }) {
    return outcomeOfCycles(await runLiveKills(options['live-kills'], seed, sayCycle(say)));
  },
};
