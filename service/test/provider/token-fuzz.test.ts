import { expect, it } from 'vitest';
import { fuzzTokens } from '../support/provider/fuzz.ts';
import { Forge } from '../support/provider/token-forge.ts';

const RUNS = 2000;

it('two thousand changed tokens: none is accepted that should not be, and none does more', async () => {
  const { refused, harmless, wrong } = await fuzzTokens(new Forge(2048), RUNS, 20_260_131);
  expect(wrong).toEqual([]);
  // If all were refused, the tokens would not be valid even before the change.
  expect(harmless).toBeGreaterThan(0);
  expect(refused).toBeGreaterThan(RUNS / 2);
});
