import { revokeMany, type MassRevocation } from '../../support/faults/mass-revocation.ts';
import { startPostgres } from '../../support/postgres/server.ts';
import type { FaultRun } from './fault-run.ts';

export const REVOCATION: FaultRun<'tokens'> = {
  name: 'revocation',
  fault: '`miftah revoke --all` with 500,000 tokens, under load, with a file and on PostgreSQL',
  promise: 'no request is refused meanwhile, and all tokens are revoked at the end',
  options: { tokens: 500_000 },
  planted: [],
  async run({ options, say }) {
    const server = await startPostgres({ isDurable: true });
    try {
      const file = await revokeMany(null, options.tokens);
      say(`SQLite: ${JSON.stringify(file)}`);
      const shared = await revokeMany(server.url, options.tokens);
      say(`PostgreSQL: ${JSON.stringify(shared)}`);
      return {
        cycles: 2,
        kinds: `SQLite: ${wordsOf(file)}; PostgreSQL: ${wordsOf(shared)}`,
        acknowledged: null,
        tokens: file.tokens + shared.tokens,
        recoveryMs: null,
        faults: [...file.faults, ...shared.faults],
        figures: { file, shared },
      };
    } finally {
      await server.close();
    }
  },
};

function wordsOf({ commandMs, commandMb, statuses, writes }: MassRevocation): string {
  const { p99Ms } = statuses;
  return (
    `${Math.round(commandMs / 1000)} s and ${commandMb} MB for the command, ` +
    `99 % of states within ${p99Ms} ms, of sign-in requests within ${writes.p99Ms} ms, ` +
    `the slowest ${writes.slowestMs} ms`
  );
}
