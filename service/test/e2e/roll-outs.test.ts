import { expect, test } from 'vitest';
import { runRollOuts } from '../support/faults/roll-outs.ts';
import { chooseSeed } from '../support/faults/seeded-random.ts';
import { emptyDatabase } from '../support/postgres/databases.ts';

/** With a later version between, and in `npm test`: deploy/test/upgrade/upgrade.test.ts. */
const ROUNDS = 2;

test('two instances that are replaced one after the other answer every request through a load balancer', async () => {
  const seed = chooseSeed();
  const { violations, ...figures } = await runRollOuts(await emptyDatabase(), ROUNDS, seed);
  console.log(`roll-outs, TEST_SEED=${seed}: ${JSON.stringify(figures)}`);

  expect(violations).toEqual([]);
  // Without these nothing was replaced under load.
  expect(figures.retried).toBeGreaterThan(0);
  expect(figures.tokens).toBeGreaterThan(0);
});
