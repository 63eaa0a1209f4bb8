import { expect, it } from 'vitest';
import { idsGivenSince } from './given-ids.ts';
import { DAY_MS, HOUR_MS } from './time.ts';

const AT = Date.UTC(2026, 0, 31);

it.each([
  ['no time', AT, 10_000_000],
  ['ten minutes, as two clocks may differ', AT - HOUR_MS / 6, 10_000_000],
  ['a day', AT - DAY_MS, 864_000_000],
  ['a time that the clock does not know', AT + 1, 315_360_000_000],
])('in %s as many ids may have been given as a store can take', (_, knownAt, ids) => {
  expect(idsGivenSince(knownAt, AT)).toBe(ids);
});
