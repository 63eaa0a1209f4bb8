import { expect, test } from 'vitest';
import { runClockBeside } from '../support/faults/clock-beside.ts';
import { findFaketime } from '../support/faults/faketime.ts';
import { emptyDatabase } from '../support/postgres/databases.ts';

const HOUR_S = 3600;

test('an instance an hour ahead expires nothing early, and one that is behind nothing late', async () => {
  const library = findFaketime();
  if (library === null) {
    console.warn('LEFT OUT: no libfaketime, so no clock beside PostgreSQL was changed');
    return;
  }
  const jumps = [
    { offset: HOUR_S, isAtRestart: false },
    { offset: -2 * HOUR_S, isAtRestart: true },
  ];
  expect(await runClockBeside(library, await emptyDatabase(), jumps)).toEqual([]);
});
