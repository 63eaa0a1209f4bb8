import { expect, it } from 'vitest';
import { idsGivenSince } from './given-ids.ts';
import { DAY_MS, HOUR_MS } from './time.ts';

const AT = Date.UTC(2026, 0, 31);
const drawPlace = () => 5;

it.each([
  ['no time', AT, 10_000_000],
  ['ten minutes, as two clocks may differ', AT - HOUR_MS / 6, 16_000_000],
  ['a day', AT - DAY_MS, 874_000_000],
  ['a time that the clock does not know', AT + 1, 315_370_000_005],
])('in %s as many ids may have been given as a store can take', (_, knownAt, ids) => {
  expect(idsGivenSince(knownAt, AT, drawPlace)).toBe(ids);
});

it('a later restore of the same backup leaves out more', () => {
  const later = idsGivenSince(AT, AT + 900_000, drawPlace);
  expect(later).toBeGreaterThan(idsGivenSince(AT, AT + 100_000, drawPlace));
});
