import { sql } from 'kysely';
import type { ErrorCode } from '../../../domain/errors/catalogue.ts';
import type { UserRow } from '../schema.ts';
import { isOpen } from './guards.ts';
import { prepare, type Bind, type Queries } from './prepare.ts';
import { PERSON_COLUMNS } from './users.ts';

interface EndValues {
  readonly at: number;
  readonly erase: number;
}

const USERS = sql.lit('users');

interface LastValues {
  readonly last: number;
}

/** The changes that a backup needs when it replaces the store. */
export function recoveryQueries(db: Queries) {
  return {
    selectDisabled: prepare(() =>
      db.selectFrom('users').selectAll().where('disabled_at', 'is not', null).orderBy('id'),
    ),
    failOpen: prepare((bind: Bind<EndValues>) =>
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
    insertUser: prepare((bind: Bind<UserRow>) =>
      db
        .insertInto('users')
        .columns(USER_COLUMNS)
        .expression(db.selectNoFrom(USER_COLUMNS.map((column) => bind(column).as(column)))),
    ),
    ...lastUserIdQueries(db),
  };
}

/** SQLite's own table of the highest ids it has assigned. */
function lastUserIdQueries(db: Queries) {
  return {
    selectLastUserId: prepare(() =>
      db.selectFrom('sqlite_sequence').select('seq').where('name', '=', USERS),
    ),
    raiseLastUserId: prepare((bind: Bind<LastValues>) =>
      db
        .updateTable('sqlite_sequence')
        .set({ seq: sql<number>`max(seq, ${bind('last')})` })
        .where('name', '=', USERS),
    ),
    insertLastUserId: prepare((bind: Bind<LastValues>) =>
      db
        .insertInto('sqlite_sequence')
        .columns(['name', 'seq'])
        .expression(
          db
            .selectNoFrom([USERS.as('name'), bind('last').as('seq')])
            .where((row) =>
              row.not(
                row.exists(
                  db.selectFrom('sqlite_sequence').select('seq').where('name', '=', USERS),
                ),
              ),
            ),
        ),
    ),
  };
}

const USER_COLUMNS = [
  'id',
  ...PERSON_COLUMNS,
  'preferred_locale',
  'last_auth_method',
  'created_at',
  'updated_at',
  'disabled_at',
] as const satisfies readonly (keyof UserRow)[];
