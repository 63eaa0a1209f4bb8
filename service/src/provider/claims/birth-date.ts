import { member, type JsonObject } from '../strict-json.ts';

/** The claims that, by reports, have the Gregorian day: of pushes, of visitors, and of the redirect flow. */
const CLAIMS = ['dateOfBirthG', 'birthgDate', 'dob'];

const DAY_FIRST = /^(?<day>\d{2})-(?<month>\d{2})-(?<year>\d{4})$/;

/** `Thu Apr 12 00:00:00 AST 1990`. At another hour it could be another day elsewhere. */
const IN_WORDS =
  /^(?<weekday>[A-Z][a-z]{2}) (?<word>[A-Z][a-z]{2}) (?<day>\d{2}) 00:00:00 [A-Z]{3,4} (?<year>\d{4})$/;

const WEEKDAYS = ['Sun', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat'];
const MONTHS = 'Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec'.split(' ');

/** Nobody who lives was born before: such a year is one of the Hijri calendar. */
const FIRST_YEAR = 1850;

/**
 * The Gregorian day of birth as YYYY-MM-DD. Null where the token says none, says two, or has a text
 * that is no day: nobody is refused for that. None is made of a Hijri date, because the calendars of
 * registers differ by a day.
 */
export function readBirthDate(claims: JsonObject): string | null {
  const stated = CLAIMS.map((name) => member(claims, name)).filter((value) => !isEmpty(value));
  const [first = null, ...others] = stated.map((value) => dayOf(value));
  return others.every((other) => other === first) ? first : null;
}

function isEmpty(value: unknown): boolean {
  return (
    value === undefined || value === null || (typeof value === 'string' && value.trim() === '')
  );
}

function dayOf(value: unknown): string | null {
  if (typeof value !== 'string') return null;
  const { year = '', month, day = '', weekday, word = '' } = partsOf(value.trim());
  const number = month ?? String(MONTHS.indexOf(word) + 1).padStart(2, '0');
  const at = Date.parse(`${year}-${number}-${day}`);
  if (Number(year) < FIRST_YEAR || Number.isNaN(at)) return null;
  const text = new Date(at).toISOString().slice(0, 10);
  // The 30th of February is read as a day of March.
  if (text !== `${year}-${number}-${day}`) return null;
  return weekday === undefined || weekday === WEEKDAYS[new Date(at).getUTCDay()] ? text : null;
}

function partsOf(text: string): Readonly<Partial<Record<string, string>>> {
  return (DAY_FIRST.exec(text) ?? IN_WORDS.exec(text))?.groups ?? {};
}
