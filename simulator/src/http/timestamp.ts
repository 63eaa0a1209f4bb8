import type { Ms } from '../engine/ports.ts';

/** Whether the calendar has a date such as 2026-01-31: JavaScript takes 30 February for 2 March. */
export function isCalendarDate(date: string): boolean {
  return new Date(`${date}T00:00:00Z`).toISOString().startsWith(date);
}

/** ISO 8601 in whole seconds, rounded down, with a numeric offset. */
export function isoTimestamp(at: Ms): string {
  return `${new Date(at).toISOString().slice(0, 19)}+00:00`;
}
