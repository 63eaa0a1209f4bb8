import type { Unit } from '../../../src/store/sql/command.ts';
import type { Step } from '../../../src/store/sql/statement.ts';

/** A unit that writes no audit row. */
export function unitOf(...steps: readonly Step[]): Unit {
  return { steps, audit: [] };
}
