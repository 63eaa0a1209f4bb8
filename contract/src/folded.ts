import { withAsciiDigits } from './typed-digits.ts';

/** What stands for an apostrophe, or is written in the place of hamza and ayn in Latin letters. */
const APOSTROPHES = /[\u2018\u2019\u201b\u02b9\u02bb-\u02bf\u2032\u00b4`\uff07]/g;
/**
 * What many leave out: marks over and under letters, which is also what makes a hamza form of an
 * alef once it is taken apart; a hamza that stands alone; the lengthening of a line; and signs that
 * are not seen.
 */
const LEFT_OUT = /[\p{M}\p{Cf}\u0621\u0640]/gu;
/** Letters that are written for each other, in Arabic and on keyboards of other languages. */
const SAME = new Map([
  ['\u0671', '\u0627'],
  ['\u0649', '\u064a'],
  ['\u06cc', '\u064a'],
  ['\u06a9', '\u0643'],
  ['\u0629', '\u0647'],
  ['\u06c1', '\u0647'],
  ['\u06d5', '\u0647'],
]);
const ANY_OF_SAME = new RegExp(`[${[...SAME.keys()].join('')}]`, 'g');

/**
 * A text for a search: two texts that people take for the same word are the same, however their
 * letters, marks and digits are written.
 */
export function folded(text: string): string {
  const apart = text.replaceAll(APOSTROPHES, "'").normalize('NFKD').replaceAll(LEFT_OUT, '');
  const same = apart.replaceAll(ANY_OF_SAME, (letter) => SAME.get(letter) ?? letter);
  return withAsciiDigits(same).toLowerCase();
}
