/**
 * Numbers that people type or paste: a national id, the number to match. This file imports nothing,
 * so that importing it costs nothing.
 */

/** ASCII, Arabic-Indic, Persian and full-width digits: the first code of each ten. */
const ZEROS = [0x30, 0x660, 0x6f0, 0xff10] as const;
const DIGIT = '0-9\\u0660-\\u0669\\u06F0-\\u06F9\\uFF10-\\uFF19';
/**
 * Ordinary and no-break spaces, signs of no width, marks of direction, and the byte order mark. No
 * overrides of direction (U+202D, U+202E): with them a number is read in another order than typed.
 */
const UNSEEN =
  ' \\u00A0\\u00AD\\u061C\\u180E\\u2000-\\u200F\\u202A-\\u202C\\u202F\\u205F-\\u2064\\u2066-\\u2069\\u3000\\uFEFF';
/** Hyphens, and the dash and minus that keyboards put in their place. */
const HYPHEN = '\\-\\u2010-\\u2013\\u2212\\uFE63\\uFF0D';

/** What may stand between two digits: what is not seen, and one hyphen. */
const BETWEEN = `[${UNSEEN}]*(?:[${HYPHEN}][${UNSEEN}]*)?`;

const TYPED_DIGITS = new RegExp(`^[${UNSEEN}]*[${DIGIT}](?:${BETWEEN}[${DIGIT}])*[${UNSEEN}]*$`);
const ONE_DIGIT = new RegExp(`[${DIGIT}]`, 'g');

/**
 * A national id as it may be typed: ten digits, the first not zero. A source of a regular expression
 * that must match the whole text.
 */
export const NATIONAL_ID_PATTERN =
  `^[${UNSEEN}]*[1-9\\u0661-\\u0669\\u06F1-\\u06F9\\uFF11-\\uFF19]` +
  `(?:${BETWEEN}[${DIGIT}]){9}[${UNSEEN}]*$`;

/**
 * The digits of a number that somebody typed or pasted, in ASCII; null if there is anything else in
 * it, or no digit. Spaces, signs of no width and marks of direction are left out, and so is one
 * hyphen between two digits.
 */
export function typedDigits(text: string): string | null {
  if (!TYPED_DIGITS.test(text)) return null;
  return (text.match(ONE_DIGIT) ?? []).map(asciiDigit).join('');
}

/** The text with the digits that people type in ASCII; nothing else is changed. */
export function withAsciiDigits(text: string): string {
  return text.replaceAll(ONE_DIGIT, asciiDigit);
}

function asciiDigit(digit: string): string {
  const code = digit.charCodeAt(0);
  const zero = ZEROS.find((first) => code >= first && code < first + 10) ?? 0;
  return String(code - zero);
}
