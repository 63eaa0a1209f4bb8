/** Looks for people's numbers in what a program has written. The tests of all workspaces use it. */

/**
 * Ten digits that stand by themselves. Inside a longer number, a decimal fraction or a word, such as
 * a time, a duration or a request id, they are no national id.
 */
const NATIONAL_IDS = /(?<!\w|\d\.)\d{10}(?!\w|\.\d)/g;

/** Every number in the text that may be somebody's, each once. */
export function nationalIdsIn(text: string): ReadonlySet<string> {
  return new Set(Array.from(text.matchAll(NATIONAL_IDS), ([digits]) => digits));
}
