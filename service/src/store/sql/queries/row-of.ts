import type { AliasedRawBuilder } from 'kysely';
import type { Dialect } from './prepare.ts';

/** The given values as a row to insert; in the form for many changes, as one row for each. */
export function rowOf(
  { db, isForSets }: Dialect,
  columns: readonly AliasedRawBuilder<unknown, string>[],
) {
  return isForSets ? db.selectFrom('given').select(columns) : db.selectNoFrom(columns);
}
