import { expect, it } from 'vitest';
import { buildDiskShim, NO_SHIM } from '../support/faults/disk/build-shim.ts';
import { IO_FAULTS, runIoFaults, type IoFaultStep } from '../support/faults/disk/io-faults.ts';
import { chooseSeed, seededRandom } from '../support/faults/seeded-random.ts';

/** A start on an empty folder makes more writes and flushes than this. */
const FIRST_START_CALLS = 8;
/** A start on a folder that is there makes fewer: this call comes under load. */
const LOAD = { from: 20, to: 80 };

it('loses nothing that it acknowledged when a write or a flush of the disk fails', async () => {
  const library = buildDiskShim();
  if (library === null) return console.warn(`LEFT OUT: failing calls, since ${NO_SHIM}`);
  const seed = chooseSeed();
  const random = seededRandom(seed);
  const first: IoFaultStep = {
    fault: random.pick(IO_FAULTS),
    number: random.between(1, FIRST_START_CALLS),
    where: 'a first start',
  };
  const loaded = IO_FAULTS.map((fault): IoFaultStep => {
    return { fault, number: random.between(LOAD.from, LOAD.to), where: 'under load' };
  });
  const { violations, ...figures } = await runIoFaults(library, [first, ...loaded], seed);
  console.log(`failing calls, TEST_SEED=${seed}: ${JSON.stringify(figures)}`);

  expect(violations).toEqual([]);
  expect(figures.caused).toBe(1 + IO_FAULTS.length);
  expect(figures.tokens).toBeGreaterThan(0);
  expect(figures.unavailable, 'a full disk was told').toBeGreaterThan(0);
});
