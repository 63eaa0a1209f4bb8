import { describe, expect, it } from 'vitest';
import { median, percentile, ratioOfRounds } from './figures.ts';

describe('the median', () => {
  it('is the one in the middle, in any order', () => expect(median([9, 1, 5])).toBe(5));
  it('is the mean of the two in the middle', () => expect(median([8, 1, 2, 4])).toBe(3));
  it('is of one value that value', () => expect(median([7])).toBe(7));
  it('is of nothing no number', () => expect(median([])).toBeNaN());
});

describe('a percentile', () => {
  const hundred = Array.from({ length: 100 }, (_, index) => index + 1);

  it.each([
    [0.5, 50],
    [0.99, 99],
    [1, 100],
    [0, 1],
  ])('of %d is the smallest value that so many do not exceed', (share, value) =>
    expect(percentile(hundred, share)).toBe(value),
  );

  it('of few values is the largest', () => expect(percentile([1, 2, 3], 0.99)).toBe(3));
  it('of nothing is no number', () => expect(percentile([], 0.5)).toBeNaN());
});

describe('the ratio of rounds', () => {
  it('compares only what ran side by side', () => {
    // The second round met a busy machine: the ratio of the medians would be 20 / 100.
    expect(ratioOfRounds([50, 5, 20], [100, 10, 100])).toBe(0.5);
  });

  it('of no rounds is no number', () => expect(ratioOfRounds([], [])).toBeNaN());
});
