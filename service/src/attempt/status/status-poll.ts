import { SECOND_MS, type Ms } from '../../values/time.ts';

/** The pause between two status requests for one push grows from the shortest to the longest. */
const SHORTEST_PAUSE_MS = 2 * SECOND_MS;
export const LONGEST_PAUSE_MS = 10 * SECOND_MS;
const GROWTH = 1.5;

/** @param question 1 for the first one about a push */
export function pauseAfter(question: number): Ms {
  return Math.min(SHORTEST_PAUSE_MS * GROWTH ** (question - 1), LONGEST_PAUSE_MS);
}
