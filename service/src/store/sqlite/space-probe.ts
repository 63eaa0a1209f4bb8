import type { Unit } from '../statement.ts';

const NAME = 'probeSpace';

/**
 * Writes one page and changes nothing: SQLite stores this number, which nobody reads, also where it
 * is the same. An update of a row to what it is already would write nothing.
 */
export const PROBE_STATEMENT = { [NAME]: 'PRAGMA user_version = 0' };

/** A batch that succeeds only where there is space again. */
export const SPACE_PROBE: Unit = [{ statement: NAME, values: [], stopWhenEmpty: false }];

/** By its statement: a unit that came from another thread is a copy. */
export function isSpaceProbe(unit: Unit): boolean {
  return unit[0]?.statement === NAME;
}
