import { runPostgresKills } from '../../support/faults/postgres-kills.ts';
import { startPostgres } from '../../support/postgres/server.ts';
import type { FaultRun } from './fault-run.ts';
import { outcomeOfCycles, sayCycle } from './cycles.ts';

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
      return { ...outcomeOfCycles(report), kinds: `${report.serverKills} of the database` };
    } finally {
      await server.close();
    }
  },
};
