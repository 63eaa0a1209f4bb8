import { describe, expect, it } from 'vitest';
import { systemClock, systemRandom, systemTimer } from './platform.ts';

describe('the real randomness', () => {
  it('gives as many bytes and digits as asked, leading zeros included', () => {
    expect(systemRandom.bytes(256)).toHaveLength(256);
    const codes = Array.from({ length: 500 }, () => systemRandom.digits(6));
    expect(codes.every((code) => /^\d{6}$/.test(code))).toBe(true);
    expect(codes.some((code) => code.startsWith('0'))).toBe(true);
    expect(new Set(codes).size).toBeGreaterThan(490);
  });

  it('gives a new UUID each time', () => {
    expect(systemRandom.uuid()).toMatch(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);
    expect(systemRandom.uuid()).not.toBe(systemRandom.uuid());
  });
});

describe('the real clock', () => {
  it('counts whole milliseconds', () => {
    expect(Number.isSafeInteger(systemClock.now())).toBe(true);
  });
});

describe('the real timer', () => {
  it('wakes up when its time is over', async () => {
    await systemTimer.sleep(1, new AbortController().signal);
  });

  it('wakes up early when it is told to, also before it has begun', async () => {
    const hour = 3_600_000;
    const stop = new AbortController();
    const sleeping = systemTimer.sleep(hour, stop.signal);
    stop.abort();
    await sleeping;
    await systemTimer.sleep(hour, stop.signal);
  });
});
