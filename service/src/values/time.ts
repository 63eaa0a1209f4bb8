/** Milliseconds since 1970-01-01T00:00:00Z, an integer. */
export type Ms = number;

export const SECOND_MS = 1000;
export const MINUTE_MS = 60 * SECOND_MS;
export const HOUR_MS = 60 * MINUTE_MS;
export const DAY_MS = 24 * HOUR_MS;

const UNITS_MS = new Map([
  ['s', SECOND_MS],
  ['m', MINUTE_MS],
  ['h', HOUR_MS],
  ['d', DAY_MS],
]);

/** A number and a unit: 90s, 45m, 12h or 30d. Null for another text. */
export function durationIn(text: string): Ms | null {
  const [, count, unit = ''] = /^([1-9]\d{0,5})([smhd])$/.exec(text) ?? [];
  const unitMs = UNITS_MS.get(unit);
  return unitMs === undefined ? null : Number(count) * unitMs;
}

/**
 * ISO 8601 with seconds and a numeric offset, for example `2026-01-31T09:05:00+00:00`.
 * Rounded down, so that a client that relies on it never acts later than the service allows.
 */
export function isoTimestamp(at: Ms): string {
  return `${new Date(at).toISOString().slice(0, 19)}+00:00`;
}

/**
 * Whether something that was to be in `waitMs` at most is due. The clock of a simulation can be set
 * back; then nothing waits longer than it would have.
 */
export function isDue(at: Ms, waitMs: Ms, now: Ms): boolean {
  return now >= at || at - now > waitMs;
}

/**
 * Whole seconds from `now` until `then`, rounded up, so that after waiting them `then` has passed.
 */
export function secondsUntil(then: Ms, now: Ms): number {
  return Math.max(0, Math.ceil((then - now) / SECOND_MS));
}
