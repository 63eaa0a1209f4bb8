import type { AuditEvent, EventAction } from '../domain/audit.ts';
import { MINUTE_MS, type Ms } from '../domain/time.ts';

/** Different events of one minute that each get a row of their own; further ones share one. */
const MOST_KINDS = 256;

/** Every start makes an attempt of its own, so these are told apart by their client only. */
const OF_CLIENT: ReadonlySet<EventAction> = new Set(['push.suppressed']);

interface Kind {
  /** The latest of them, as far as they are alike. */
  readonly event: AuditEvent;
  /** How often it has come again since its row was written. */
  readonly count: number;
}

/**
 * Who repeats something that changes nothing must not fill the audit log with it. The first event of
 * a kind (action, client and, as a rule, attempt) is written; further ones of the same minute are
 * counted, and their number goes into one row at the end of the minute.
 *
 * Kept in memory: when the process is killed, the numbers of the minute are lost.
 */
export class RepeatedEvents {
  #kinds = new Map<string, Kind>();
  #endsAt: Ms | null = null;

  /** True when the event is to be written now; else it has been counted. */
  isFirst(event: AuditEvent): boolean {
    this.#endsAt ??= event.at + MINUTE_MS;
    const key = this.#keyOf(event);
    const known = this.#kinds.get(key);
    const count = known === undefined ? 0 : known.count + 1;
    this.#kinds.set(key, { event: subjectOf(key, event), count });
    return known === undefined;
  }

  /** An event that was to be written and could not be, or a number that is to be kept. */
  add(event: AuditEvent, count: number): void {
    this.#endsAt ??= event.at + MINUTE_MS;
    const key = this.#keyOf(event);
    const known = this.#kinds.get(key)?.count ?? 0;
    this.#kinds.set(key, { event: subjectOf(key, event), count: known + count });
  }

  isDue(now: Ms): boolean {
    return this.#endsAt !== null && now >= this.#endsAt;
  }

  /**
   * A row for each kind that was repeated, with the time of the latest one. A new minute begins with
   * the next event.
   */
  take(): readonly (AuditEvent & { readonly count: number })[] {
    const kinds = [...this.#kinds.values()];
    this.#kinds = new Map();
    this.#endsAt = null;
    return kinds.filter(({ count }) => count > 0).map(({ event, count }) => ({ ...event, count }));
  }

  #keyOf(event: AuditEvent): string {
    const { action, client = null, attemptId = null } = event;
    const key = JSON.stringify([action, client, OF_CLIENT.has(action) ? null : attemptId]);
    const isKnown = this.#kinds.has(key) || this.#kinds.size < MOST_KINDS;
    return isKnown ? key : action;
  }
}

/** What all events of the key have in common. */
function subjectOf(key: string, event: AuditEvent): AuditEvent {
  const { at, action, client = null, attemptId = null } = event;
  if (key === action) return { at, action };
  return OF_CLIENT.has(action) ? { at, action, client } : { at, action, client, attemptId };
}
