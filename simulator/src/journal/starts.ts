import type { Entry } from './entry.ts';
import type { Numbered } from './journal.ts';
import { asciiLettersAndDigits } from './mask/mask-forms.ts';
import { readable } from './readable.ts';

/** The calls that begin a sign-in: of the application, or of the service where it has not begun there. */
const STARTS: ReadonlySet<string> = new Set(['startAttempt', 'mfa_request', 'session']);

/** The call that began the attempt, readable; null where nobody has seen it. */
export function startOf(entries: readonly Numbered[]): Entry | null {
  const start = startEntry(entries);
  return start === null ? null : readable(start);
}

/** Whether the provider has refused every call that would have begun it. */
export function isRefused(entries: readonly Numbered[]): boolean {
  const starts = entries.filter(({ entry }) => STARTS.has(entry.name));
  return starts.length > 0 && starts.every(({ entry }) => (entry.exchange?.status ?? 0) >= 400);
}

/** The earliest of these calls, as it was recorded. */
function startEntry(entries: readonly Numbered[]): Entry | null {
  return entries.find(({ entry }) => STARTS.has(entry.name))?.entry ?? null;
}

/**
 * The list of attempts reads this number each time it is made. An entry never changes, so the number
 * is kept.
 */
const asked = new WeakMap<Entry, string | null>();

/**
 * The identity number that a start asks for, in ASCII digits, as the directory keeps it; null where it
 * asks for nobody.
 */
export function askedFor(entries: readonly Numbered[]): string | null {
  const start = startEntry(entries);
  if (start === null) return null;
  const known = asked.get(start);
  if (known !== undefined) return known;
  const number = numberIn(readable(start));
  asked.set(start, number);
  return number;
}

function numberIn(start: Entry): string | null {
  const body = start.exchange?.request.body ?? null;
  if (typeof body !== 'object' || body === null) return null;
  const members: Readonly<Record<string, unknown>> = { ...body };
  // Of POST /start, and of the service's call to the provider.
  const number = members['national_id'] ?? members['nationalId'];
  return typeof number === 'string' ? asciiLettersAndDigits(number) : null;
}

/** What of the headers of a start tells one program from another. */
const OF_A_PROGRAM = ['user-agent', 'authorization'] as const;

/** Whether the same program asks twice for the same person. */
export function areOfSameProgramAndPerson(
  one: readonly Numbered[],
  other: readonly Numbered[],
): boolean {
  const person = askedFor(one);
  if (person === null || askedFor(other) !== person) return false;
  const [first, second] = [headersOf(one), headersOf(other)];
  return OF_A_PROGRAM.every((name) => first[name] === second[name]);
}

function headersOf(entries: readonly Numbered[]): Readonly<Record<string, string>> {
  return startEntry(entries)?.exchange?.request.headers ?? {};
}
