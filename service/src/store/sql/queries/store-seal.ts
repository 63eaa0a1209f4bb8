import { sql } from 'kysely';
import type { BindingRow, ProviderNameRow } from '../schema.ts';
import { BINDING_COLUMNS } from './columns.ts';
import { prepare, type Bind, type Dialect } from './prepare.ts';

/** The id of the only row. */
const ONLY = sql.lit(1);

type BindingValues = Omit<BindingRow, 'id'>;

/** What a store was bound to by its first start, and the names that its provider has had. */
export function storeSealQueries(dialect: Dialect) {
  const { db } = dialect;
  return {
    insertBinding: insertBinding(dialect),
    selectBinding: prepare(dialect, () =>
      db.selectFrom('store_seal').select(BINDING_COLUMNS).where('id', '=', ONLY),
    ),
    insertProviderName: prepare(dialect, (bind: Bind<ProviderNameRow>) =>
      db
        .insertInto('provider_names')
        .columns(['kind', 'value'])
        .expression(db.selectNoFrom([bind('kind').as('kind'), bind('value').as('value')]))
        .onConflict((conflict) => conflict.columns(['kind', 'value']).doNothing())
        .returning('kind'),
    ),
    selectProviderNames: prepare(dialect, () =>
      db.selectFrom('provider_names').select(['kind', 'value']).orderBy('kind').orderBy('value'),
    ),
  };
}

/** Inserts the binding only if the store is empty. */
function insertBinding(dialect: Dialect) {
  const { db } = dialect;
  return prepare(dialect, (bind: Bind<BindingValues>) =>
    db
      .insertInto('store_seal')
      .columns(BINDING_COLUMNS)
      .expression(
        db
          .selectNoFrom([
            ONLY.as('id'),
            bind('mode').as('mode'),
            bind('provider_url').as('provider_url'),
            bind('path_prefix').as('path_prefix'),
            bind('issuer').as('issuer'),
          ])
          .where((row) =>
            row.not(row.exists(db.selectFrom('store_seal').select('id').where('id', '=', ONLY))),
          )
          .where((row) => row.not(row.exists(first('attempts', 'attempt_id', ''))))
          .where((row) => row.not(row.exists(first('users', 'id', 0))))
          .where((row) => row.not(row.exists(first('api_tokens', 'token_id', '')))),
      )
      .returning('id'),
  );
}

/**
 * Whether a table has a row. The condition on the key is always true; it makes SQLite search the
 * index instead of scanning the table.
 */
function first(table: string, key: string, least: string | number) {
  return sql`(select 1 from ${sql.table(table)} where ${sql.ref(key)} >= ${sql.lit(least)})`;
}
