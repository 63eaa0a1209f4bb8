/** Dates in the forms in which the provider writes them. A date here is YYYY-MM-DD, Gregorian. */
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

/** Umm al-Qura, the calculated calendar of the country's documents. */
const hijri = once(
  () =>
    new Intl.DateTimeFormat('en-u-ca-islamic-umalqura-nu-latn', {
      year: 'numeric',
      month: '2-digit',
      day: '2-digit',
      timeZone: 'UTC',
    }),
);

/** `Thu Apr 12 00:00:00 AST 1990`: a date as text, in no format of a standard. */
export function dateInWords(date: string): string {
  const { weekday, month, day, year } = partsOf(words(), date);
  return `${weekday} ${month} ${day} 00:00:00 AST ${year}`;
}

/** In the Hijri calendar: `1410/09/16`, as tokens of a sign-in by browser have it, or `16-09-1410`. */
export function hijriDate(date: string, order: 'year-first' | 'day-first'): string {
  const { year, month, day } = partsOf(hijri(), date);
  return order === 'year-first' ? `${year}/${month}/${day}` : `${day}-${month}-${year}`;
}

/** `12-04-1990`, as tokens of pushes have it. */
export function dayFirst(date: string): string {
  return date.split('-').toReversed().join('-');
}

const MAJORITY_YEARS = 18;

/** Whether somebody born then is not yet of age. */
export function isMinor(birthDate: string, now: Ms): boolean {
  const [year = '', ...monthAndDay] = birthDate.split('-');
  const comesOfAge = [Number(year) + MAJORITY_YEARS, ...monthAndDay].join('-');
  return new Date(now).toISOString().slice(0, comesOfAge.length) < comesOfAge;
}

/** When documents of invented people were issued. */
export const ISSUE_DATE = '2020-01-01';

/** Documents of invented people never expire: they end with the fourth year from now. */
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
