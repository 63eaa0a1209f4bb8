import { expect, test } from 'vitest';
import { atLength } from '../../../scripts/test-length.ts';
import { share } from '../support/at-end.ts';
import { runPostgresKills } from '../support/faults/postgres-kills.ts';
import { chooseSeed } from '../support/faults/seeded-random.ts';
import { startPostgres } from '../support/postgres/server.ts';

/** Every second one kills the database. */
const CYCLES = atLength(3, 2);

const server = share(async (atEnd) => {
  const started = await startPostgres({ isDurable: true });
  atEnd(() => started.close());
  return started;
});

test('two instances lose nothing acknowledged in kills of one or of the database', async () => {
  const seed = chooseSeed();
  const { violations, ...figures } = await runPostgresKills(server(), CYCLES, seed);
  console.log(`kill -9 on PostgreSQL, TEST_SEED=${seed}: ${JSON.stringify(figures)}`);

  expect(violations).toEqual([]);
  // The load must have issued tokens, otherwise the test proves nothing.
  expect(figures.tokens).toBeGreaterThan(0);
  expect(figures.unanswered).toBeGreaterThan(0);
  expect(figures.serverKills).toBeGreaterThan(0);
});
