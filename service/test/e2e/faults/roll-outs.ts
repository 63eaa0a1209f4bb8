import { runRollOuts } from '../../support/faults/roll-outs.ts';
import { startPostgres } from '../../support/postgres/server.ts';
import type { FaultRun } from './fault-run.ts';

export const ROLL_OUTS: FaultRun<'roll-outs'> = {
  name: 'roll-out',
  fault: 'SIGTERM to two instances on PostgreSQL under load, one after the other',
  promise: 'every request through a load balancer is answered',
  options: { 'roll-outs': 50 },
  planted: [],
  async run({ options, seed }) {
    const server = await startPostgres({ isDurable: true });
    try {
      const report = await runRollOuts(server.url, options['roll-outs'], seed);
      const { violations, rounds, attempts, tokens, ...figures } = report;
      return {
        cycles: rounds,
        kinds: `of ${figures.answers} requests ${figures.cutDirectly} failed of clients without a load balancer`,
        acknowledged: attempts,
        tokens,
        recoveryMs: null,
        faults: violations,
        figures,
      };
    } finally {
      await server.close();
    }
  },
};
