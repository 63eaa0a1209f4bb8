import { describe, expect, it } from 'vitest';
import { isoTimestamp, secondsUntil } from './time.ts';

describe('a timestamp', () => {
  it.each([
    [0, '1970-01-01T00:00:00+00:00'],
    [Date.UTC(2026, 0, 31, 9, 5), '2026-01-31T09:05:00+00:00'],
    [Date.UTC(2028, 1, 29, 23, 59, 59, 999), '2028-02-29T23:59:59+00:00'],
    [Date.UTC(2026, 0, 31, 9, 5, 0, 1), '2026-01-31T09:05:00+00:00'],
  ])('of %i is %s', (at, text) => expect(isoTimestamp(at)).toBe(text));

  it('can be read back, and is never later than what it stands for', () => {
    for (const at of [1_800_000_000_000, 1_800_000_000_001, 1_800_000_000_999]) {
      expect(new Date(isoTimestamp(at)).getTime()).toBe(1_800_000_000_000);
    }
  });
});

describe('the seconds until then', () => {
  it.each([
    [1000, 0, 1],
    [1001, 0, 2],
    [999, 0, 1],
    [1, 0, 1],
    [0, 0, 0],
    [0, 5000, 0],
  ])('%i from %i are %i', (then, now, seconds) => expect(secondsUntil(then, now)).toBe(seconds));
});
