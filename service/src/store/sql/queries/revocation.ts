import { sql, type SqlBool } from 'kysely';
import type { ErrorCode } from '../../../errors/catalogue.ts';
import { expiry, isOpen } from './guards.ts';
import { prepare, type Bind, type Dialect } from './prepare.ts';

/** Null means no condition. */
interface ScopeValues {
  readonly at: number;
  readonly user_id: number | null;
  readonly client: string | null;
}

interface AboveValues extends ScopeValues {
  /** Only tokens whose id comes after this one. */
  readonly above: string;
}

interface NthValues extends AboveValues {
  readonly offset: number;
}

interface BetweenValues extends AboveValues {
  readonly up_to: string;
}

interface EndValues extends ScopeValues {
  readonly erase: number;
}

/** What a revocation ends: attempts and tokens of everybody, of one user or of one client. */
export function revocationQueries(dialect: Dialect) {
  return {
    failOpen: failOpen(dialect),
    dateBack: dateBack(dialect),
    eraseFailedLaunchUrls: eraseFailedLaunchUrls(dialect),
    revokeTokens: revokeTokens(dialect),
    selectNthActiveToken: selectNthActiveToken(dialect),
    revokeTokensBetween: revokeTokensBetween(dialect),
  };
}

/** Fails the attempts that can still become a login. Uses the index by expiry. */
function failOpen(dialect: Dialect) {
  const { db } = dialect;
  const reason = sql.lit('attempt.failed' satisfies ErrorCode);
  return prepare(dialect, (bind: Bind<EndValues>) =>
    db
      .updateTable('attempts')
      .set({
        failed_at: bind('at'),
        end_reason: reason,
        national_id: sql<
          string | null
        >`case when ${bind('erase')} = 1 then null else national_id end`,
      })
      .where((attempts) => isOpen(attempts, bind('at')))
      .where(isInScope(bind)),
  );
}

/**
 * An attempt that is in the store began before now, also where the clock that began it is ahead of
 * ours: then it is as if it began now.
 */
function dateBack(dialect: Dialect) {
  const { db } = dialect;
  return prepare(dialect, (bind: Bind<{ readonly at: number }>) =>
    db
      .updateTable('attempts')
      .set({ created_at: bind('at') })
      .where((attempts) => isOpen(attempts, bind('at')))
      .where('created_at', '>', bind('at')),
  );
}

/** Of the attempts that `failOpen` has failed at this time. Uses the index by expiry. */
function eraseFailedLaunchUrls(dialect: Dialect) {
  const { db } = dialect;
  return prepare(dialect, (bind: Bind<{ readonly at: number }>) =>
    db
      .updateTable('provider_transactions')
      .set({ launch_url: sql.lit(null), kept_tokens: sql.lit(null) })
      .where((row) =>
        row.or([row('launch_url', 'is not', null), row('kept_tokens', 'is not', null)]),
      )
      .where((query) =>
        query(
          'attempt_id',
          'in',
          db
            .selectFrom('attempts')
            .select('attempt_id')
            .where((attempts) => attempts(expiry(attempts), '>', bind('at')))
            .where('failed_at', '=', bind('at')),
        ),
      ),
  );
}

function revokeTokens(dialect: Dialect) {
  const { db } = dialect;
  return prepare(dialect, (bind: Bind<ScopeValues>) =>
    db
      .updateTable('api_tokens')
      .set({ revoked_at: bind('at') })
      .where('expires_at', '>', bind('at'))
      .where('revoked_at', 'is', null)
      .where(isInScope(bind)),
  );
}

/** In the order of the ids, which is that of the table on SQLite, and of its key on PostgreSQL. */
function selectNthActiveToken(dialect: Dialect) {
  const { db } = dialect;
  return prepare(dialect, (bind: Bind<NthValues>) =>
    db
      .selectFrom('api_tokens')
      .select('token_id')
      .where('token_id', '>', bind('above'))
      .where('expires_at', '>', bind('at'))
      .where('revoked_at', 'is', null)
      .where(isInScope(bind))
      .orderBy('token_id')
      .limit(sql.lit(1))
      .offset(bind('offset')),
  );
}

function revokeTokensBetween(dialect: Dialect) {
  const { db } = dialect;
  return prepare(dialect, (bind: Bind<BetweenValues>) =>
    db
      .updateTable('api_tokens')
      .set({ revoked_at: bind('at') })
      .where('token_id', '>', bind('above'))
      .where('token_id', '<=', bind('up_to'))
      .where('expires_at', '>', bind('at'))
      .where('revoked_at', 'is', null)
      .where(isInScope(bind)),
  );
}

function isInScope(bind: Bind<ScopeValues>) {
  const { user_id, client } = { user_id: bind('user_id'), client: bind('client') };
  return sql<SqlBool>`(${user_id} is null or user_id = ${user_id})
    and (${client} is null or client = ${client})`;
}
