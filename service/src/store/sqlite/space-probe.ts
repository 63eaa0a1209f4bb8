import type { Unit } from '../statement.ts';

const NAME = 'probeSpace';

/**
 * Writes one page and changes nothing: nobody reads this number, and SQLite writes it even if it is
 * the same. An UPDATE that changes no value would not do: it may write nothing.
 */
export const PROBE_STATEMENT = { [NAME]: 'PRAGMA user_version = 0' };

/** A batch that succeeds only where there is space again. */
export const SPACE_PROBE: Unit = [{ statement: NAME, values: [], stopWhenEmpty: false }];

/** By its statement: a unit that came from another thread is a copy. */
export function isSpaceProbe(unit: Unit): boolean {
  return unit[0]?.statement === NAME;
}
