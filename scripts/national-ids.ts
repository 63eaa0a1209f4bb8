/** Finds national ids in the output of a program. The tests of all workspaces use it. */

/**
 * Ten digits on their own. As part of a longer number, a decimal fraction or a word (a time, a
 * duration, a request id) they are not a national id.
 */
const NATIONAL_IDS = /(?<!\w|\d\.)\d{10}(?!\w|\.\d)/g;

/** Every number in the text that may be a national id, without repetitions. */
export function nationalIdsIn(text: string): ReadonlySet<string> {
  return new Set(Array.from(text.matchAll(NATIONAL_IDS), ([digits]) => digits));
}
