import type { Unit, Step } from '../../../src/store/sql/statement.ts';

/** A unit that writes no audit row. */
export function unitOf(...steps: readonly Step[]): Unit {
  return { steps, audit: [] };
}
