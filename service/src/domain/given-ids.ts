import { DAY_MS, type Ms } from './time.ts';

/** More new users than a store of this service can take: its audit log does not grow so fast. */
const MOST_IDS_PER_MS = 10;
/** Beside those of the time, which two clocks do not agree about. */
const LEAST_GAP = 10_000_000;
/** When the clock is behind what the store has seen, nothing is known of the time between. */
const UNKNOWN_MS = 365 * DAY_MS;

/**
 * How many ids may have been given to users that nobody knows of any more, at most. Migration
 * 0010 of PostgreSQL counts in the same way.
 * @param knownAt when the highest id that is known was the highest of all
 */
export function idsGivenSince(knownAt: Ms, at: Ms): number {
  const elapsedMs = at < knownAt ? UNKNOWN_MS : at - knownAt;
  // A sum: of two restores of one backup, the later one begins above what the earlier one gave.
  return LEAST_GAP + elapsedMs * MOST_IDS_PER_MS;
}
