import { expect, test } from 'vitest';
import { share } from '../../support/at-end.ts';
import { chooseSeed } from '../../support/faults/seeded-random.ts';
import { migratedDatabase } from '../../support/postgres/databases.ts';
import { compareEngines, openEngines } from '../../support/differential/compare.ts';

const OPERATIONS = 4_000;

const engines = share(async (atEnd) =>
  openEngines({ one: await migratedDatabase(atEnd), three: await migratedDatabase(atEnd) }, atEnd),
);

test('S-12 to S-91: random operations give the same on every engine as on the model', async () => {
  const seed = chooseSeed();
  const { operations, differences } = await compareEngines(engines(), seed, OPERATIONS);
  expect(differences.slice(0, 3)).toEqual([]);
  expect(operations).toBeGreaterThanOrEqual(OPERATIONS);
});
