import type { Row } from '@miftah/contract/control';
import { lastOf, sorted } from '../parts/lists.ts';

/** The newest events carry this many rows at first, and a page of older ones has as many. */
export const PAGE_ROWS = 200;
/** Older attempts stay in the store, and are not in the list. */
export const MOST_ROWS = 10_000;

/** What nobody has to answer any more does not wait, though its state is still that of what waits. */
export function shownState({ state, reason, planned, answered }: Row): string {
  if (answered) return 'answered';
  // A cancel by the application is stored as a refusal, with its reason.
  if (reason === 'attempt.cancelled') return 'cancelled';
  return planned ? 'planned' : state;
}

/** Null where the state has said it: the code of a refusal by the person is `attempt.rejected`. */
export function shownReason(row: Row): string | null {
  return row.reason === `attempt.${shownState(row)}` ? null : row.reason;
}

/** Rows that have changed take the places of the old ones; new rows are added, newest first. */
export function withChanges(rows: readonly Row[], changed: readonly Row[]): readonly Row[] {
  const waiting = new Map(changed.map((row) => [row.id, row]));
  const kept = rows.map((row) => {
    const newer = waiting.get(row.id);
    waiting.delete(row.id);
    return newer ?? row;
  });
  if (waiting.size === 0) return kept;
  return sorted([...waiting.values(), ...kept], newestFirst).slice(0, MOST_ROWS);
}

/**
 * The list after an event with all the newest rows, and with all that were imported. What it does not
 * have has gone, for example with a restart or a reset. Older attempts than it names stay.
 */
export function withNewest(rows: readonly Row[], newest: readonly Row[]): readonly Row[] {
  const last = lastOf(newest, ({ source }) => source === 'own');
  if (newest.length < PAGE_ROWS || last === undefined) return sorted(newest, newestFirst);
  return withChanges(
    rows.filter((row) => row.source === 'own' && newestFirst(row, last) > 0),
    newest,
  );
}

function newestFirst(one: Row, other: Row): number {
  if (one.created_at !== other.created_at) return one.created_at < other.created_at ? 1 : -1;
  if (one.id === other.id) return 0;
  return one.id < other.id ? 1 : -1;
}
