import { expect, it } from 'vitest';
import { atLength } from '../../../scripts/test-length.ts';
import { runCrashCycles } from '../support/faults/crash-cycles.ts';
import { chooseSeed } from '../support/faults/seeded-random.ts';

/** `npm run faults` makes 500. */
const CYCLES = atLength(5, 3);

it(`loses nothing that it acknowledged in ${CYCLES} kills under load`, async () => {
  const seed = chooseSeed();
  const { violations, ...figures } = await runCrashCycles(CYCLES, seed);
  console.log(`kill -9, TEST_SEED=${seed}: ${JSON.stringify(figures)}`);

  expect(violations).toEqual([]);
  // The load must have issued tokens, otherwise the test proves nothing.
  expect(figures.tokens).toBeGreaterThan(0);
  expect(figures.revoked).toBeGreaterThan(0);
  expect(figures.unanswered).toBeGreaterThan(CYCLES);
});
