import type { Ms } from '../engine/ports.ts';

/** ISO 8601 in whole seconds, rounded down, with a numeric offset. */
export function isoTimestamp(at: Ms): string {
  return `${new Date(at).toISOString().slice(0, 19)}+00:00`;
}
