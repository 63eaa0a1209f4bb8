import type { UserId } from '../account/user.ts';
import { partsOf, type ActorText } from './act.ts';
import { durationIn, type Ms } from '../values/time.ts';
import { AUDIT_ACTIONS, type AuditAction, type AuditRow } from './audit.ts';

/** Which rows are shown; what is left out, lets every row pass. */
export interface AuditFilter {
  readonly action?: readonly AuditAction[];
  readonly client?: string;
  readonly user?: UserId;
  /** The whole actor, one of its accounts, or the name of one. */
  readonly actor?: string;
  readonly since?: TimeGiven;
  readonly until?: TimeGiven;
}

/** A time, or how long before now. */
export type TimeGiven = { readonly at: Ms } | { readonly ago: Ms };

/** @param now where `since` and `until` say how long ago */
export function filterOf(wanted: AuditFilter, now: Ms): (row: AuditRow) => boolean {
  const { action, client, user, actor } = wanted;
  const from = timeOf(wanted.since, now) ?? Number.NEGATIVE_INFINITY;
  const end = timeOf(wanted.until, now) ?? Number.POSITIVE_INFINITY;
  return (row) =>
    row.at >= from &&
    row.at < end &&
    (action?.includes(row.action) ?? true) &&
    (client === undefined || row.client === client) &&
    (user === undefined || row.userId === user) &&
    (actor === undefined || (row.actor !== null && isCalled(row.actor, actor)));
}

function isCalled(actor: ActorText, wanted: string): boolean {
  return (
    actor === wanted || partsOf(actor).some(({ id, name }) => id === wanted || name === wanted)
  );
}

export function timeOf(given: TimeGiven | undefined, now: Ms): Ms | null {
  if (given === undefined) return null;
  return 'at' in given ? given.at : now - given.ago;
}

/** One action, or with a dot at its end all that begin with it; empty where there is none. */
export function actionsNamed(name: string): readonly AuditAction[] {
  return AUDIT_ACTIONS.filter((one) => (name.endsWith('.') ? one.startsWith(name) : one === name));
}

/** With its zone, because a machine's own is not always known. */
const TIME = /^\d{4}-\d\d-\d\d(?:T\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?(?:Z|[+-]\d\d:\d\d))?$/;

/** ISO 8601, or a duration as settings have it; null for another text. */
export function parseTimeGiven(text: string): TimeGiven | null {
  const ago = durationIn(text);
  if (ago !== null) return { ago };
  const at = TIME.test(text) && isDay(text.slice(0, 10)) ? Date.parse(text) : Number.NaN;
  return Number.isFinite(at) ? { at } : null;
}

/** 2026-02-30 would be read as a day of March. */
function isDay(text: string): boolean {
  const at = Date.parse(text);
  return Number.isFinite(at) && new Date(at).toISOString().startsWith(text);
}
