import { sql } from 'kysely';
import { DEFAULT_SCOPE } from '../../../attempt/scenario.ts';
import { ATTEMPT_COLUMNS } from './columns.ts';
import { isPending } from './guards.ts';
import { prepare, type Bind, type Dialect } from './prepare.ts';

interface PendingValues {
  readonly first_id: string;
  readonly at: number;
  /** The name of a scope, a space and `%`: what a stored scenario begins with. */
  readonly of_scope: string;
  readonly limit: number;
}

interface NewestValues {
  /** Every attempt of the list has a smaller id. */
  readonly before_id: string;
  readonly of_scope: string;
  readonly limit: number;
}

/** The stored scenario, which begins with its scope, and a space also where nothing follows it. */
const scopeAndSpace = sql<string>`coalesce(scenario, ${sql.lit(DEFAULT_SCOPE)}) || ' '`;

/** The ids begin with the time of the start, so the key's index leads to the young ones. */
export function selectPendingAttempts(dialect: Dialect) {
  return prepare(dialect, (bind: Bind<PendingValues>) =>
    dialect.db
      .selectFrom('attempts')
      .select(ATTEMPT_COLUMNS)
      .where('attempt_id', '>=', bind('first_id'))
      .where((attempts) => isPending(attempts, bind('at')))
      .where(scopeAndSpace, 'like', bind('of_scope'))
      .orderBy('attempt_id', 'desc')
      .limit(bind('limit')),
  );
}

export function selectNewestAttempts(dialect: Dialect) {
  return prepare(dialect, (bind: Bind<NewestValues>) =>
    dialect.db
      .selectFrom('attempts')
      .select(ATTEMPT_COLUMNS)
      .where('attempt_id', '<', bind('before_id'))
      .where(scopeAndSpace, 'like', bind('of_scope'))
      .orderBy('attempt_id', 'desc')
      .limit(bind('limit')),
  );
}
