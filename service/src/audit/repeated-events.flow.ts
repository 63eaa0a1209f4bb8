import type { AuditEvent, AuditSubject, EventAction } from './audit.ts';
import { isDue, MINUTE_MS, type Ms } from '../values/time.ts';

/**
 * The number of kinds per minute that are counted separately; further kinds share one row per
 * action.
 */
const MOST_KINDS = 256;

type Shared = readonly (keyof AuditSubject)[];

/** What all events of a kind share. */
const USUAL: Shared = ['client', 'attemptId'];
const SHARED: Partial<Record<EventAction, Shared>> = {
  // Every start has a new attempt.
  'push.suppressed': ['client'],
  'provider.token_refused': ['client', 'attemptId', 'detail'],
  // Anybody can send these, for any attempt.
  'provider.token_unverified': ['detail'],
};

interface Kind {
  /** The latest event, with only the values that all events of the kind share. */
  readonly event: AuditEvent;
  /** The number of repetitions since its row was written. */
  readonly count: number;
}

/**
 * Prevents repeated events, which change nothing, from filling the audit log. The first event of a
 * kind (action, and usually client and attempt) is written; further ones in the same minute are
 * counted, and one row with their number is written at the end of the minute.
 *
 * The counts are in memory: if the process is killed, those of the current minute are lost.
 */
export class RepeatedEvents {
  #kinds = new Map<string, Kind>();
  #endsAt: Ms | null = null;

  /** True when the event must be written now; otherwise it was counted. */
  isFirst(event: AuditEvent): boolean {
    this.#endsAt ??= event.at + MINUTE_MS;
    const key = this.#keyOf(event);
    const known = this.#kinds.get(key);
    const count = known === undefined ? 0 : known.count + 1;
    this.#kinds.set(key, { event: subjectOf(key, event), count });
    return known === undefined;
  }

  /** Adds to the count of a kind: an event that could not be written, or a count that could not. */
  add(event: AuditEvent, count: number): void {
    this.#endsAt ??= event.at + MINUTE_MS;
    const key = this.#keyOf(event);
    const known = this.#kinds.get(key)?.count ?? 0;
    this.#kinds.set(key, { event: subjectOf(key, event), count: known + count });
  }

  isDue(now: Ms): boolean {
    return this.#endsAt !== null && isDue(this.#endsAt, MINUTE_MS, now);
  }

  /**
   * Takes a row for each repeated kind, with the time of its latest event. The next event starts a
   * new minute.
   */
  take(): readonly (AuditEvent & { readonly count: number })[] {
    const kinds = [...this.#kinds.values()];
    this.#kinds = new Map();
    this.#endsAt = null;
    return kinds.filter(({ count }) => count > 0).map(({ event, count }) => ({ ...event, count }));
  }

  #keyOf(event: AuditEvent): string {
    const { action } = event;
    const key = JSON.stringify([action, ...sharedBy(event).map((name) => event[name] ?? null)]);
    const isKnown = this.#kinds.has(key) || this.#kinds.size < MOST_KINDS;
    return isKnown ? key : action;
  }
}

/** The values that all events of the key share. */
function subjectOf(key: string, event: AuditEvent): AuditEvent {
  const { at, action } = event;
  if (key === action) return { at, action };
  const shared = sharedBy(event).map((name) => [name, event[name] ?? null] as const);
  return { at, action, ...(Object.fromEntries(shared) as Partial<AuditSubject>) };
}

function sharedBy({ action }: AuditEvent): Shared {
  return SHARED[action] ?? USUAL;
}
