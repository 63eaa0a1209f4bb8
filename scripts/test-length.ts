import process from 'node:process';

/** Whether this is `npm run test:long`. */
export const isLong = process.env['TEST_LENGTH'] === 'long';

/** How much a test tries: all in `npm run test:long`, and what is enough for each change in `npm test`. */
export function atLength<All, Short>(all: All, short: Short): All | Short {
  return isLong ? all : short;
}

/**
 * Of cases in both languages, those in Arabic, and all of them in `npm run test:long`. Most tests of
 * pages are in English.
 */
export function inArabicAtLeast<Case extends readonly [locale: string, ...rest: unknown[]]>(
  cases: readonly Case[],
): readonly Case[] {
  return isLong ? cases : cases.filter(([locale]) => locale === 'ar');
}
