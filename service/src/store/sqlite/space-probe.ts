import type { Unit } from '../sql/command.ts';

const NAME = 'probeSpace';

/**
 * Writes one page without changing data: nothing reads this number, and SQLite writes it even if it
 * is unchanged. An UPDATE without a change would not be enough, because it may write nothing.
 */
export const PROBE_STATEMENT = { [NAME]: 'PRAGMA user_version = 0' };

/** A batch that succeeds only where there is space again. */
export const SPACE_PROBE: Unit = {
  steps: [{ statement: NAME, values: [], stopWhenEmpty: false }],
  audit: [],
};

/** Compares the statement, because a unit from another thread is a copy. */
export function isSpaceProbe({ steps }: Unit): boolean {
  return steps[0]?.statement === NAME;
}
