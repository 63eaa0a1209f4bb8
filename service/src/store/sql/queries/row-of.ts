import { sql, type AliasedRawBuilder, type Expression } from 'kysely';
import type { Dialect } from './prepare.ts';

/** The given values as a row to insert; in the form for many changes, as one row for each. */
export function rowOf(
  { db, isForSets }: Dialect,
  columns: readonly AliasedRawBuilder<unknown, string>[],
): Expression<unknown> {
  if (isForSets) return db.selectFrom('given').select(columns);
  // SQLite inserts VALUES faster than the rows of a SELECT.
  return sql`values (${sql.join(columns.map(({ expression }) => expression))})`;
}
