import type { Clock } from '../ports/runtime.ts';

/**
 * The time of day at the start of the process, moved on by the monotonic clock: an operator who
 * sets the machine's clock can neither end all attempts at once nor bring back one that expired.
 */
export const systemClock: Clock = {
  now: () => Math.floor(performance.timeOrigin + performance.now()),
};
