import type { IncomingMessage } from 'node:http';
import type { Ms } from '../domain/time.ts';

/** Everything else waits while a group runs; this many requests take a few milliseconds. */
export const MOST_IN_GROUP = 64;
/**
 * Of a group, kept for starts while other requests would fill it. A start is followed by about seven
 * requests, so more places would let those pile up.
 */
const PLACES_FOR_STARTS = 2;
/**
 * A start that has waited this long is late. Accepted ones then take less than half a second, and
 * a crowd that is over sooner than this is served whole.
 */
export const LATE_MS: Ms = 250;
/** Late starts cost little each, because they are refused; more of them wait for the next group. */
const MOST_LATE = 64;

/**
 * In which order requests are handled while there are too many: what watches the service, then what
 * belongs to attempts that were begun already, then starts of further ones.
 */
export type Urgency = 'watch' | 'usual' | 'start';

export interface WaitingRequest {
  readonly request: IncomingMessage;
  /** When the turn of the event loop began in which it was read from its connection. */
  readonly readAt: Ms;
}

export interface NextRequests<One extends WaitingRequest> {
  readonly group: readonly One[];
  /** Starts that have waited too long; they are handled with the group. */
  readonly late: readonly One[];
}

/**
 * Takes the next requests to be handled out of `waiting`, which is in the order of arrival. Without
 * pressure, when one group can hold all, these are simply all. Otherwise starts come last, because
 * an attempt that was begun and can't be finished is work for nothing.
 */
export function takeNext<One extends WaitingRequest>(
  waiting: One[],
  urgencyOf: (request: IncomingMessage) => Urgency,
  now: () => Ms,
): NextRequests<One> {
  if (waiting.length <= MOST_IN_GROUP) return { group: waiting.splice(0), late: [] };
  const lateBefore = now() - LATE_MS;
  const sorted: Record<Urgency | 'late', One[]> = { watch: [], usual: [], start: [], late: [] };
  for (const one of waiting) {
    const urgency = urgencyOf(one.request);
    const isLate = urgency === 'start' && one.readAt <= lateBefore;
    sorted[isLate ? 'late' : urgency].push(one);
  }
  const late = sorted.late.splice(0, MOST_LATE);
  const urgent = [...sorted.watch, ...sorted.usual];
  const kept = Math.min(PLACES_FOR_STARTS, sorted.start.length);
  const group = urgent.splice(0, MOST_IN_GROUP - kept);
  group.push(...sorted.start.splice(0, MOST_IN_GROUP - group.length));
  replace(waiting, [...sorted.late, ...urgent, ...sorted.start]);
  return { group, late };
}

/** In place, because requests arrive in the same list. */
function replace<One>(list: One[], next: readonly One[]): void {
  list.length = 0;
  for (const one of next) list.push(one);
}
