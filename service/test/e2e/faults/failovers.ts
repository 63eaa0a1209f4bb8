import { InstancesUnderLoad } from '../../support/faults/instances-under-load.ts';
import { meetFormerPrimary, runFailovers } from '../../support/faults/postgres-failovers.ts';
import { PostgresPair } from '../../support/postgres/pair.ts';
import type { FaultRun } from './fault-run.ts';
import { sayCycle } from './cycles.ts';

const MOST_RECOVERY_MS = 5000;
const FAILOVERS_OF_WORSE = 3;

export const FAILOVERS: FaultRun<'failovers'> = {
  name: 'failover',
  fault:
    'the primary of PostgreSQL is killed under load after its synchronous standby received nothing ' +
    'for 400 ms, and the standby is promoted; at the end the former primary comes back',
  promise: 'nothing acknowledged is lost, writes again within 5 s, the former primary is not used',
  options: { failovers: 10 },
  planted: ['a commit on PostgreSQL does not wait for the standby'],
  async run({ options, seed, say }) {
    const pair = await PostgresPair.start(true);
    const load = await InstancesUnderLoad.start([pair.url, pair.url], seed);
    try {
      const onFailover = sayCycle(say);
      const report = await runFailovers(pair, load, options.failovers, { onFailover });
      await meetFormerPrimary(pair, load);
      const { violations } = load.history;
      const worse = await runFailovers(pair, load, FAILOVERS_OF_WORSE, { isSynchronous: false });
      const { failovers, attempts, tokens, answers, unavailable, recoveriesMs } = report;
      const late = recoveriesMs.filter((ms) => ms > MOST_RECOVERY_MS);
      return {
        cycles: failovers,
        acknowledged: attempts,
        tokens,
        recoveryMs: Math.max(...recoveriesMs),
        faults: [...violations, ...late.map((ms) => `no writes for ${ms} ms`)],
        worse: `with an asynchronous standby, ${worse.violations.length} contradictions in ${worse.failovers} failover`,
        figures: { answers, unavailable, recoveriesMs },
      };
    } finally {
      await load.close();
      await pair.close();
    }
  },
};
