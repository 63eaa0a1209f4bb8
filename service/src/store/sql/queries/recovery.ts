import { sql } from 'kysely';
import type { ErrorCode } from '../../../domain/errors/catalogue.ts';
import type { UserRow } from '../schema.ts';
import { USER_COLUMNS } from './columns.ts';
import { isOpen } from './guards.ts';
import { prepare, type Bind, type Dialect } from './prepare.ts';

interface EndValues {
  readonly at: number;
  readonly erase: number;
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
    failOpen: prepare(dialect, (bind: Bind<EndValues>) =>
      db
        .updateTable('attempts')
        .set({
          failed_at: bind('at'),
          end_reason: sql.lit('attempt.failed' satisfies ErrorCode),
          national_id: sql<
            string | null
          >`case when ${bind('erase')} = 1 then null else national_id end`,
        })
        .where((attempts) => isOpen(attempts, bind('at'))),
    ),
    eraseLaunchUrls: prepare(dialect, () =>
      db
        .updateTable('provider_transactions')
        .set({ launch_url: sql.lit(null) })
        .where('launch_url', 'is not', null),
    ),
    insertUser: prepare(dialect, (bind: Bind<UserRow>) =>
      db
        .insertInto('users')
        .columns(USER_COLUMNS)
        .expression(db.selectNoFrom(USER_COLUMNS.map((column) => bind(column).as(column)))),
    ),
    selectLastUserId: prepare(dialect, () => dialect.lastUserId()),
    raiseLastUserId: prepare(dialect, (bind: Bind<LastValues>) =>
      dialect.raiseLastUserId(bind('last')),
    ),
  };
}
