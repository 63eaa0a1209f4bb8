import type { Entry } from './entry.ts';
import type { Numbered } from './journal.ts';
import { readable } from './readable.ts';

/** The calls that begin a sign-in: of the application, or else of the service. */
const STARTS: ReadonlySet<string> = new Set(['startAttempt', 'mfa_request', 'session']);

/** The call that began the attempt; null where nobody has seen it. */
export function startOf(entries: readonly Numbered[]): Entry | null {
  const found = entries.find(({ entry }) => STARTS.has(entry.name));
  return found === undefined ? null : readable(found.entry);
}

/** The identity number that a start asks for; null where it asks for nobody. */
export function askedFor(entries: readonly Numbered[]): string | null {
  const body = startOf(entries)?.exchange?.request.body ?? null;
  if (typeof body !== 'object' || body === null) return null;
  const members: Readonly<Record<string, unknown>> = { ...body };
  const asked = members['national_id'] ?? members['nationalId'];
  return typeof asked === 'string' ? asked : null;
}
