import { expect, it } from 'vitest';
import { runLostAnswers } from '../support/faults/lost-answers.ts';
import { chooseSeed } from '../support/faults/seeded-random.ts';

const ROUNDS = 15;
const ROUNDS_FOR_KILL = 15;

it('gives the same token again when the answer was lost, also by a kill', async () => {
  const seed = chooseSeed();
  const report = await runLostAnswers(ROUNDS, ROUNDS_FOR_KILL, seed);
  const { violations, ...figures } = report;
  console.log(`lost answers, TEST_SEED=${seed}: ${JSON.stringify(figures)}`);

  expect(violations).toEqual([]);
  expect(figures.tokens).toBe(ROUNDS);
  // The others may be cut before they took effect.
  expect(figures.tookEffect).toBeGreaterThanOrEqual(Math.ceil(ROUNDS / 2));
});
