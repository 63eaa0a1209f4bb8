import { DAY_MS, type Ms } from './time.ts';

/** More new users than a store of this service can take: its audit log does not grow so fast. */
const MOST_IDS_PER_MS = 10;
/** Beside those of the time, which two clocks do not agree about. */
const LEAST_GAP = 10_000_000;
/** When the clock is behind what the store has seen, nothing is known of the time between. */
const UNKNOWN_MS = 365 * DAY_MS;
/** Of the random number that then takes the place of the time. */
export const PLACE_DIGITS = 13;

/**
 * How many ids may have been given to users that nobody knows of any more, at most. Migration
 * 0015 of PostgreSQL counts in the same way.
 * @param knownAt when the highest id that is known was the highest of all
 * @param drawPlace a random number of `PLACE_DIGITS` digits
 */
export function idsGivenSince(knownAt: Ms, at: Ms, drawPlace: () => number): number {
  // Two restores of one backup with such a clock begin at places that have nothing in common.
  if (at < knownAt) return LEAST_GAP + UNKNOWN_MS * MOST_IDS_PER_MS + drawPlace();
  // A sum: of two restores of one backup, the later one begins above what the earlier one gave.
  return LEAST_GAP + (at - knownAt) * MOST_IDS_PER_MS;
}
