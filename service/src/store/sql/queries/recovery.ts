import { sql } from 'kysely';
import type { UserRow } from '../schema.ts';
import { USER_COLUMNS } from './columns.ts';
import { prepare, type Bind, type Dialect } from './prepare.ts';

interface AfterValues {
  readonly after: number;
  readonly limit: number;
}

interface LastValues {
  readonly last: number;
}

/** The changes that a backup needs when it replaces the store. */
export function recoveryQueries(dialect: Dialect) {
  const { db } = dialect;
  return {
    selectDisabled: prepare(dialect, () =>
      db
        .selectFrom('users')
        .select(USER_COLUMNS)
        .where('disabled_at', 'is not', null)
        .orderBy('id'),
    ),
    eraseLaunchUrls: prepare(dialect, () =>
      db
        .updateTable('provider_transactions')
        .set({ launch_url: sql.lit(null), kept_tokens: sql.lit(null) })
        .where((row) =>
          row.or([row('launch_url', 'is not', null), row('kept_tokens', 'is not', null)]),
        ),
    ),
    insertUser: prepare(dialect, (bind: Bind<UserRow>) =>
      db
        .insertInto('users')
        .columns(USER_COLUMNS)
        .expression(db.selectNoFrom(USER_COLUMNS.map((column) => bind(column).as(column)))),
    ),
    selectUserIds: selectUserIds(dialect),
    selectLastUserId: prepare(dialect, () => dialect.lastUserId()),
    raiseLastUserId: prepare(dialect, (bind: Bind<LastValues>) =>
      dialect.raiseLastUserId(bind('last')),
    ),
  };
}

function selectUserIds(dialect: Dialect) {
  return prepare(dialect, (bind: Bind<AfterValues>) =>
    dialect.db
      .selectFrom('users')
      .select('id')
      .where('id', '>', bind('after'))
      .orderBy('id')
      .limit(bind('limit')),
  );
}
