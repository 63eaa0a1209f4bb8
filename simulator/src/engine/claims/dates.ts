/** Dates in the provider's formats. Parameters are Gregorian dates as YYYY-MM-DD. */
import { once } from '../once.ts';
import type { Ms } from '../ports.ts';

const words = once(
  () =>
    new Intl.DateTimeFormat('en-US', {
      weekday: 'short',
      month: 'short',
      day: '2-digit',
      year: 'numeric',
      timeZone: 'UTC',
    }),
);

/** Umm al-Qura, the calculated calendar on the country's documents. */
const hijri = once(
  () =>
    new Intl.DateTimeFormat('en-u-ca-islamic-umalqura-nu-latn', {
      year: 'numeric',
      month: '2-digit',
      day: '2-digit',
      timeZone: 'UTC',
    }),
);

/** `Thu Apr 12 00:00:00 AST 1990`: a date as text, in no standard format. */
export function dateInWords(date: string): string {
  const { weekday, month, day, year } = partsOf(words(), date);
  return `${weekday} ${month} ${day} 00:00:00 AST ${year}`;
}

/**
 * A date of the Hijri calendar: `1410/09/16` in tokens of the redirect flow, `16-09-1410` in push
 * tokens.
 */
export function hijriDate(date: string, order: 'year-first' | 'day-first'): string {
  const { year, month, day } = partsOf(hijri(), date);
  return order === 'year-first' ? `${year}/${month}/${day}` : `${day}-${month}-${year}`;
}

/** `12-04-1990`, as in push tokens. */
export function dayFirst(date: string): string {
  return date.split('-').toReversed().join('-');
}

const MAJORITY_YEARS = 18;

/** Whether somebody born on that day is under 18. */
export function isMinor(birthDate: string, now: Ms): boolean {
  const [year = '', ...monthAndDay] = birthDate.split('-');
  const comesOfAge = [Number(year) + MAJORITY_YEARS, ...monthAndDay].join('-');
  return new Date(now).toISOString().slice(0, comesOfAge.length) < comesOfAge;
}

/** The issue date of all invented documents. */
export const ISSUE_DATE = '2020-01-01';

/** Invented documents never expire: the date is the end of the fourth year from now. */
export function documentExpiry(now: Ms): string {
  return `${new Date(now).getUTCFullYear() + 4}-12-31`;
}

type Part = 'weekday' | 'year' | 'month' | 'day';

function partsOf(format: Intl.DateTimeFormat, date: string): Readonly<Record<Part, string>> {
  const found = { weekday: '', year: '', month: '', day: '' };
  for (const { type, value } of format.formatToParts(new Date(`${date}T00:00:00Z`))) {
    if (type in found) found[type as Part] = value;
  }
  return found;
}
