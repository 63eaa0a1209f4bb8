import { rmSync, writeFileSync } from 'node:fs';
import type { Unit } from '../sql/command.ts';
import { RESULT } from './result-codes.ts';
import type { SqlFault } from './worker-protocol.ts';

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

/** More than most batches of writes take. The page above may find space where a batch does not. */
const TRIAL_BYTES = 256 * 1024;

const NO_SPACE: ReadonlySet<unknown> = new Set(['ENOSPC', 'EDQUOT']);

/** Writes a file beside the database and removes it again. Only the lack of space is a fault. */
export function faultOfTrial(database: string): SqlFault | null {
  const file = trialFile(database);
  try {
    writeFileSync(file, Buffer.alloc(TRIAL_BYTES, 'x'), { mode: 0o600 });
    return null;
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : null;
    return NO_SPACE.has(code) ? { code: RESULT.full, message: 'database or disk is full' } : null;
  } finally {
    removeTrial(database);
  }
}

/** After a kill it would keep the last space. What can't be removed is no fault of the store. */
export function removeTrial(database: string): void {
  try {
    rmSync(trialFile(database), { force: true });
  } catch {
    // The next trial tries it again.
  }
}

function trialFile(database: string): string {
  return `${database}-trial`;
}
