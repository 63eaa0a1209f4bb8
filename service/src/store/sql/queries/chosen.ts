import { sql, type Expression, type SelectQueryBuilder, type SqlBool } from 'kysely';
import type { Tables } from '../schema.ts';
import type { Dialect } from './prepare.ts';

/**
 * Whether a row has a key of those that `rows` chooses, with a limit. Rows that another writer has
 * locked are passed over where the database can. PostgreSQL may run a query after `IN` once for each
 * row, and then chooses others each time, beyond the limit: an array is made once.
 */
export function isChosen<Table extends keyof Tables, Key extends string>(
  key: Key,
  { skipsLocked }: Dialect,
  rows: SelectQueryBuilder<Tables, Table, Readonly<Record<Key, unknown>>>,
): Expression<SqlBool> {
  if (!skipsLocked) return sql<SqlBool>`${sql.ref(key)} in ${rows}`;
  return sql<SqlBool>`${sql.ref(key)} = any(array${rows.forUpdate().skipLocked()})`;
}
