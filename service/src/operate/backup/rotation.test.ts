import { expect, it } from 'vitest';
import { DAY_MS } from '../../values/time.ts';
import { nameOfBackup, surplusOf } from './rotation.ts';

const at = (day: string, time = '02:15:00') => nameOfBackup(Date.parse(`${day}T${time}Z`));

it('a name has the time to the second', () => {
  expect(nameOfBackup(Date.parse('2026-01-31T02:15:09.999Z'))).toBe('miftah-20260131T021509Z.db');
});

it('the latest of each day and of each week stays, by Monday and in UTC', () => {
  const names = [
    // A Sunday, and the Monday after it.
    at('2026-01-04'),
    at('2026-01-05', '00:00:00'),
    at('2026-01-11', '23:59:59'),
    at('2026-01-12', '02:00:00'),
    at('2026-01-12', '14:00:00'),
    at('2026-01-13'),
  ];
  const surplus = (daily: number, weekly: number) => surplusOf(names, { daily, weekly }).toSorted();
  expect(surplus(2, 0)).toEqual([names[0], names[1], names[2], names[3]]);
  expect(surplus(0, 2)).toEqual([names[0], names[1], names[3], names[4]]);
  expect(surplus(1, 3)).toEqual([names[1], names[3], names[4]]);
  expect(surplus(0, 0)).toEqual(names);
});

it('days without a backup remove none: age alone is no reason', () => {
  const old = [at('2020-02-29'), at('2021-02-28'), at('2026-01-01')];
  expect(surplusOf(old, { daily: 7, weekly: 0 })).toEqual([]);
});

it('of a year of days, seven days and the ends of four weeks stay', () => {
  const begin = Date.parse('2026-01-01T02:15:00Z');
  const year = Array.from({ length: 365 }, (_, day) => nameOfBackup(begin + day * DAY_MS));
  const surplus = new Set(surplusOf(year, { daily: 7, weekly: 4 }));
  // Thursday 31 December is the latest of its week too.
  expect(year.filter((name) => !surplus.has(name))).toEqual([
    at('2026-12-13'),
    at('2026-12-20'),
    ...['25', '26', '27', '28', '29', '30', '31'].map((day) => at(`2026-12-${day}`)),
  ]);
});

it.each([
  'miftah-2026-01-01.db',
  'miftah-20260101T021500Z.db.gz',
  'my-miftah-20260101T021500Z.db',
  'miftah-20261301T021500Z.db',
  'miftah-20260230T021500Z.db',
  'miftah.db',
  'refused.db',
])('%s is none of its names', (name) => {
  expect(surplusOf([name], { daily: 0, weekly: 0 })).toEqual([]);
});
