import { expect, it } from 'vitest';
import { countOf } from './pace.ts';

it.each([
  [0.29, 100, 29],
  [0.1, 30, 3],
  [1.5, 3, 4],
  [20, 30, 600],
  [0.01, 5, 1],
])('%f a second for %i seconds is %i', (rate, seconds, count) => {
  expect(countOf({ rate, seconds })).toBe(count);
});
