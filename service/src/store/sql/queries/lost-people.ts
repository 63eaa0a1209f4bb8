import { sql, type ExpressionBuilder } from 'kysely';
import type { Tables } from '../schema.ts';
import { prepare, type Bind, type Dialect } from './prepare.ts';

interface Known {
  /** The ids of the known keys, as a JSON list. */
  readonly known_keys: string;
}

/** People whose key is lost, and their rows in other tables. */
export function lostPeopleQueries(dialect: Dialect) {
  const { db } = dialect;
  return {
    countLost: prepare(dialect, (bind: Bind<Known>) =>
      db
        .selectFrom('users')
        .select((users) => users.fn.countAll<number>().as('lost'))
        .where((users) => isLost(dialect, users, bind)),
    ),
    deleteTokensOfLost: prepare(dialect, (bind: Bind<Known>) =>
      db.deleteFrom('api_tokens').where('user_id', 'in', (query) =>
        query
          .selectFrom('users')
          .select('id')
          .where((users) => isLost(dialect, users, bind)),
      ),
    ),
    /**
     * All attempts: their identifiers may be sealed with the lost key too, and attempts are
     * short-lived.
     */
    deleteAttempts: prepare(dialect, () => db.deleteFrom('attempts')),
    deleteLost: prepare(dialect, (bind: Bind<Known>) =>
      db.deleteFrom('users').where((users) => isLost(dialect, users, bind)),
    ),
    deleteLostOpenid: prepare(dialect, (bind: Bind<Known>) =>
      db.deleteFrom('openid_records').where(isUnderLostKey(dialect, bind)),
    ),
  };
}

function isLost(dialect: Dialect, users: ExpressionBuilder<Tables, 'users'>, bind: Bind<Known>) {
  return users.and([users('vault_key', 'is not', null), isUnderLostKey(dialect, bind)]);
}

/** Null for what is sealed under no key. */
function isUnderLostKey(dialect: Dialect, bind: Bind<Known>) {
  const known = dialect.textsOf(bind('known_keys'));
  return sql<boolean>`vault_key not in (select item.value from ${known})`;
}
