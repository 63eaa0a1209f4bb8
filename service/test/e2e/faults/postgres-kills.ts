import { runPostgresKills } from '../../support/faults/postgres-kills.ts';
import { startPostgres } from '../../support/postgres/server.ts';
import type { FaultRun } from './fault-run.ts';
import { sayCycle } from './say-cycle.ts';

export const POSTGRES_KILLS: FaultRun<'postgres-kills'> = {
  name: 'postgres-kill',
  fault: '`kill -9` of one of two instances on PostgreSQL, or of the database itself',
  promise: 'nothing acknowledged is lost',
  options: { 'postgres-kills': 100 },
  planted: ['a commit on PostgreSQL is acknowledged before it is on disk'],
  async run({ options, seed, say }) {
    const server = await startPostgres({ isDurable: true });
    try {
      const asked = options['postgres-kills'];
      const report = await runPostgresKills(server, asked, seed, sayCycle(say));
      const { violations, cycles, attempts, tokens, slowestRecoveryMs, ...figures } = report;
      return {
        cycles,
        kinds: `${figures.serverKills} of the database`,
        acknowledged: attempts,
        tokens,
        recoveryMs: slowestRecoveryMs,
        faults: violations,
        figures,
      };
    } finally {
      await server.close();
    }
  },
};
