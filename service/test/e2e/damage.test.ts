import { expect, it } from 'vitest';
import { atLength } from '../../../scripts/test-length.ts';
import { runDamage } from '../support/faults/disk/damage-run.ts';
import { chooseSeed } from '../support/faults/seeded-random.ts';

const OF_EACH_KIND = atLength(8, 4);

it('refuses a damaged store with advice, or opens it with every row that the disk still has', async () => {
  const seed = chooseSeed();
  const { violations, ...figures } = await runDamage(OF_EACH_KIND, seed);
  console.log(`damaged stores, TEST_SEED=${seed}: ${JSON.stringify(figures)}`);

  expect(violations).toEqual([]);
  expect(figures.tokens).toBeGreaterThan(0);
  expect(figures.verdicts['a byte in the first three quarters of the log: refused']).toBe(
    OF_EACH_KIND,
  );
  expect(figures.verdicts['another file: refused']).toBe(OF_EACH_KIND);
});
