import type { Unit } from '../sql/statement.ts';

const NAME = 'probeSpace';

/**
 * Writes one page without changing data: nothing reads this number, and SQLite writes it even if it
 * is unchanged. An UPDATE without a change would not be enough, because it may write nothing.
 */
export const PROBE_STATEMENT = { [NAME]: 'PRAGMA user_version = 0' };

/** A batch that succeeds only where there is space again. */
export const SPACE_PROBE: Unit = [{ statement: NAME, values: [], stopWhenEmpty: false }];

/** Compares the statement, because a unit from another thread is a copy. */
export function isSpaceProbe(unit: Unit): boolean {
  return unit[0]?.statement === NAME;
}
