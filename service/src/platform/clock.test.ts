import { afterEach, expect, it, vi } from 'vitest';
import { systemClock } from './clock.ts';

afterEach(() => vi.restoreAllMocks());

it('tells whole milliseconds since 1970, near the time of day', () => {
  const now = systemClock.now();
  expect(Number.isInteger(now)).toBe(true);
  expect(now).toBeGreaterThan(Date.UTC(2025, 0, 1));
});

it('never goes back', () => {
  let last = 0;
  for (let reading = 0; reading < 10_000; reading += 1) {
    const now = systemClock.now();
    expect(now).toBeGreaterThanOrEqual(last);
    last = now;
  }
});

it('does not follow the clock of the machine when that is set', () => {
  const before = systemClock.now();
  vi.spyOn(Date, 'now').mockReturnValue(0);
  expect(systemClock.now()).toBeGreaterThanOrEqual(before);
  vi.spyOn(Date, 'now').mockReturnValue(8_000_000_000_000);
  expect(systemClock.now()).toBeLessThan(8_000_000_000_000);
});

it('goes on with the time that passes', () => {
  vi.spyOn(performance, 'now').mockReturnValueOnce(1000).mockReturnValueOnce(61_000.9);
  const before = systemClock.now();
  expect(systemClock.now() - before).toBeGreaterThanOrEqual(60_000);
});
