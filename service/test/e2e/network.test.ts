import { expect, test } from 'vitest';
import { SHORT_LOAD } from '../support/faults/instances-under-load.ts';
import { runCutOff } from '../support/faults/network-run.ts';
import { chooseSeed } from '../support/faults/seeded-random.ts';

const SILENCE_MS = 500;

test('an instance that hears nothing of its database any more answers 503, and goes on by itself', async () => {
  const seed = chooseSeed();
  const report = await runCutOff(SILENCE_MS, seed, SHORT_LOAD);
  if (report === null) {
    // What a silent connection means is still tested, in store/postgres/faults.test.ts.
    console.warn('LEFT OUT: nobody was cut off, since only root on Linux, with ip, can do that');
    return;
  }
  const { violations, ...figures } = report;
  console.log(`cut off, TEST_SEED=${seed}: ${JSON.stringify(figures)}`);
  expect(violations).toEqual([]);
  expect(figures.tokens).toBeGreaterThan(0);
  expect(figures.unavailable).toBeGreaterThan(0);
});
