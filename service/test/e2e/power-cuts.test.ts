import { expect, it } from 'vitest';
import { buildDiskShim, NO_SHIM } from '../support/faults/disk/build-shim.ts';
import { runPowerCuts } from '../support/faults/disk/power-cut-run.ts';
import { chooseSeed } from '../support/faults/seeded-random.ts';

const CUTS = 100;

it(`loses nothing that it acknowledged in ${CUTS} power cuts`, async () => {
  const library = buildDiskShim();
  if (library === null) return console.warn(`LEFT OUT: power cuts, since ${NO_SHIM}`);
  const seed = chooseSeed();
  const { violations, ...figures } = await runPowerCuts(library, CUTS, seed);
  console.log(`power cuts, TEST_SEED=${seed}: ${JSON.stringify(figures)}`);

  expect(violations).toEqual([]);
  expect(figures.cuts).toBe(CUTS);
  // A test that sees no loss without the flush of each commit would see none at all.
  expect(figures.worse.bad).toBeGreaterThan(figures.worse.cuts / 2);
  expect(figures.tokens).toBeGreaterThan(0);
});
