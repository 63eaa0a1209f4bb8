import type { Clock } from '../../../src/platform/runtime.port.ts';

export interface FakeClock extends Clock {
  advance(ms: number): void;
}

/** 2026-01-31T09:00:00Z, an arbitrary fixed time. */
export const START_OF_TIME = Date.UTC(2026, 0, 31, 9);

export function createFakeClock(start = START_OF_TIME): FakeClock {
  let now = start;
  return {
    now: () => now,
    advance(ms) {
      now += ms;
    },
  };
}
