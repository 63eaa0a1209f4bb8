import { expect, it } from 'vitest';
import { runLiveKills } from '../support/faults/live-kills.ts';
import { chooseSeed } from '../support/faults/seeded-random.ts';

const CYCLES = 2;

it(`live mode loses nothing that it acknowledged in ${CYCLES} kills while people sign in`, async () => {
  const seed = chooseSeed();
  const { violations, ...figures } = await runLiveKills(CYCLES, seed);
  console.log(`kill -9 in live mode, TEST_SEED=${seed}: ${JSON.stringify(figures)}`);

  expect(violations).toEqual([]);
  expect(figures.attempts).toBeGreaterThan(0);
  expect(figures.unanswered).toBeGreaterThan(0);
});
