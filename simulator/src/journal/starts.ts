import type { Entry } from './entry.ts';
import type { Numbered } from './journal.ts';
import { inAscii } from './mask-forms.ts';
import { readable } from './readable.ts';

/** The calls that begin a sign-in: of the application, or else of the service. */
const STARTS: ReadonlySet<string> = new Set(['startAttempt', 'mfa_request', 'session']);

/** The call that began the attempt; null where nobody has seen it. */
export function startOf(entries: readonly Numbered[]): Entry | null {
  const found = entries.find(({ entry }) => STARTS.has(entry.name));
  return found === undefined ? null : readable(found.entry);
}

/** Each list of attempts asks for them again, and an entry never changes. */
const asked = new WeakMap<Entry, string | null>();

/**
 * The identity number that a start asks for, in ASCII digits, as everybody is known by; null where
 * it asks for nobody.
 */
export function askedFor(entries: readonly Numbered[]): string | null {
  const found = entries.find(({ entry }) => STARTS.has(entry.name));
  if (found === undefined) return null;
  const known = asked.get(found.entry);
  if (known !== undefined) return known;
  const number = numberIn(readable(found.entry));
  asked.set(found.entry, number);
  return number;
}

function numberIn(start: Entry): string | null {
  const body = start.exchange?.request.body ?? null;
  if (typeof body !== 'object' || body === null) return null;
  const members: Readonly<Record<string, unknown>> = { ...body };
  const number = members['national_id'] ?? members['nationalId'];
  return typeof number === 'string' ? inAscii(number) : null;
}

/** What of the headers of a start tells one program from another. */
const OF_A_PROGRAM = ['user-agent', 'authorization'] as const;

/** Whether the same program asks twice for the same person. */
export function areAlike(one: readonly Numbered[], other: readonly Numbered[]): boolean {
  const person = askedFor(one);
  if (person === null || askedFor(other) !== person) return false;
  const [first, second] = [headersOf(one), headersOf(other)];
  return OF_A_PROGRAM.every((name) => first[name] === second[name]);
}

function headersOf(entries: readonly Numbered[]): Readonly<Record<string, string>> {
  return startOf(entries)?.exchange?.request.headers ?? {};
}
