import { sql, type Expression, type SelectQueryBuilder, type SqlBool } from 'kysely';
import type { Dialect } from './prepare.ts';

/**
 * Whether a row is one of those that `rows` chooses, with a limit. Rows that another writer has
 * locked are passed over where the database can. PostgreSQL may run a query after `IN` once for each
 * row, and then chooses others each time, beyond the limit: an array is made once.
 */
export function isChosen<Db, Table extends keyof Db, Row>(
  key: Expression<unknown>,
  { skipsLocked }: Dialect,
  rows: SelectQueryBuilder<Db, Table, Row>,
): Expression<SqlBool> {
  if (!skipsLocked) return sql<SqlBool>`${key} in ${rows}`;
  return sql<SqlBool>`${key} = any(array${rows.forUpdate().skipLocked()})`;
}
