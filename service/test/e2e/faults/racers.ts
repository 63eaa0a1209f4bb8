import { HTTP_RACERS, runTokenRaces, type TokenRaces } from '../../support/faults/token-races.ts';
import { startPostgres } from '../../support/postgres/server.ts';
import type { FaultRun } from './fault-run.ts';

const INSTANCES = 3;

export const RACERS: FaultRun<'races'> = {
  name: 'racers',
  fault: `${HTTP_RACERS} redemptions of each attempt at once: over three instances on PostgreSQL, and over one with a file`,
  promise: 'one token for each attempt, and no 5xx',
  options: { races: 1000 },
  planted: [],
  async run({ options, say }) {
    const server = await startPostgres({ isDurable: true });
    try {
      const shared = await runTokenRaces(server.url, INSTANCES, options.races);
      say(`three instances: ${shared.tokens} tokens for ${shared.attempts} attempts`);
      const alone = await runTokenRaces(null, 1, options.races);
      say(`one with a file: ${alone.tokens} tokens for ${alone.attempts} attempts`);
      const faults = [...faultsOf(shared), ...faultsOf(alone)];
      const tokens = shared.tokens + alone.tokens;
      const acknowledged = shared.attempts + alone.attempts;
      const figures = { answers: shared.answers + alone.answers };
      return { cycles: acknowledged, acknowledged, tokens, recoveryMs: null, faults, figures };
    } finally {
      await server.close();
    }
  },
};

function faultsOf({ attempts, tokens, stored, violations }: TokenRaces): readonly string[] {
  const counted = tokens === attempts ? [] : [`${tokens} tokens for ${attempts} attempts`];
  const kept = stored === null || stored === attempts ? [] : [`${stored} tokens are stored`];
  return [...violations, ...counted, ...kept];
}
