import { sql } from 'kysely';
import { expiry } from './guards.ts';
import { isChosen } from './chosen.ts';
import { prepare, type Bind, type Dialect } from './prepare.ts';

interface Place {
  /** How many newer rows there are. */
  readonly offset: number;
}

interface TrimValues {
  readonly before: number;
  readonly limit: number;
}

/** What is removed by number. Each query uses the index by time of its table. */
export function trimQueries(dialect: Dialect) {
  const { db } = dialect;
  return {
    selectNthAttempt: prepare(dialect, (bind: Bind<Place>) =>
      db
        .selectFrom('attempts')
        .select((attempts) => sql<number>`${expiry(attempts)}`.as('moment'))
        .orderBy((attempts) => expiry(attempts), 'desc')
        .limit(sql.lit(1))
        .offset(bind('offset')),
    ),
    selectNthCall: prepare(dialect, (bind: Bind<Place>) =>
      db
        .selectFrom('provider_calls')
        .select('at as moment')
        .orderBy('at', 'desc')
        .limit(sql.lit(1))
        .offset(bind('offset')),
    ),
    deleteCallsBefore: prepare(dialect, (bind: Bind<TrimValues>) => {
      const old = db
        .selectFrom('provider_calls')
        .select('call_id')
        .where('at', '<', bind('before'))
        .orderBy('at')
        .limit(bind('limit'));
      return db.deleteFrom('provider_calls').where(isChosen('call_id', dialect, old));
    }),
  };
}
