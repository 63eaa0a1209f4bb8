import { sql } from 'kysely';
import type { AuditAction } from '../../../domain/audit.ts';
import { prepare, type Bind, type Dialect } from './prepare.ts';

/** Where the proved part of the log begins. */
interface ProvedValues {
  /** Facts of before are left out: their rows were cut off at the front, or their key given up. */
  readonly at: number;
  /** Only rows after this one say how a fact came about. */
  readonly after: number;
}

/** Selects the first fact in the store without a row in the log that says how it came about. */
export function auditCheckQueries(dialect: Dialect) {
  const { db } = dialect;
  return {
    selectUnlogged: prepare(dialect, (bind: Bind<ProvedValues>) =>
      db
        .with('proved', () => db.selectNoFrom([bind('at').as('since'), bind('after').as('after')]))
        .with(
          (cte) => cte('revocations').materialized(),
          () =>
            db
              .selectFrom('audit_log')
              .select(['at', 'user_id', 'client'])
              .where('action', 'in', [sql.lit('tokens.revoked_all'), sql.lit('store.restored')])
              .where(IS_PROVED),
        )
        .with(
          (cte) => cte('disabled').materialized(),
          () =>
            db
              .selectFrom('audit_log')
              .select(['at', 'user_id'])
              .where('action', '=', sql.lit('user.disabled'))
              .where(IS_PROVED),
        )
        .selectFrom(UNLOGGED.as('unlogged'))
        .selectAll()
        .limit(sql.lit(1)),
    ),
  };
}

const IS_PROVED = sql<boolean>`audit_log.sequence > (select proved.after from proved)`;

interface UnloggedRow {
  readonly kind: string;
  readonly id: string;
  readonly action: string;
}

const UNLOGGED = sql<UnloggedRow>`(
  select 'token' as kind, token_id as id, 'token.issued' as action from api_tokens
    where ${isSince('created_at')} and not ${hasRow('api_tokens', 'token.issued')}
  union all
  select 'token', token_id, 'token.revoked' from api_tokens
    where ${isSince('revoked_at')} and not ${hasRow('api_tokens', 'token.revoked')}
    and not ${isOfMany('api_tokens', 'revoked_at')}
  union all
  select 'attempt', attempt_id, 'attempt.authenticated' from attempts
    where ${isSince('authenticated_at')} and not ${hasRow('attempts', 'attempt.authenticated')}
  union all
  select 'attempt', attempt_id, 'token.issued' from attempts
    where ${isSince('redeemed_at')} and not ${hasRow('attempts', 'token.issued')}
  union all
  select 'attempt', attempt_id, 'attempt.rejected' from attempts
    where ${isSince('rejected_at')} and not ${hasRow('attempts', 'attempt.rejected')}
  union all
  select 'attempt', attempt_id, 'attempt.failed' from attempts
    where ${isSince('failed_at')} and not ${hasRow('attempts', 'attempt.failed')}
    and not ${hasRow('attempts', 'attempt.completion_missed', sql`and detail is not null`)}
    and not ${isOfMany('attempts', 'failed_at')}
  union all
  select 'user', cast(id as text), 'user.disabled' from users
    where ${isSince('disabled_at')} and not exists (
      select 1 from disabled where disabled.user_id = users.id and disabled.at = users.disabled_at)
    and not exists (
      select 1 from erased_people where erased_people.identity_digest = users.identity_digest
      and erased_people.erased_at = users.disabled_at)
)`;

function isSince(moment: string) {
  return sql`${sql.ref(moment)} >= (select since from proved)`;
}

/** Uses the log's index by attempt. */
function hasRow(table: string, action: AuditAction, more = sql``) {
  return sql`exists (select 1 from audit_log
    where audit_log.attempt_id = ${sql.ref(`${table}.attempt_id`)} and action = ${sql.lit(action)}
    and ${IS_PROVED} ${more})`;
}

/**
 * Whether one row stands for everything that ended at this time, such as a revocation of all
 * tokens.
 */
function isOfMany(table: string, moment: string) {
  const column = (name: string) => sql.ref(`${table}.${name}`);
  return sql`exists (select 1 from revocations as one where one.at = ${column(moment)}
    and (one.user_id is null or one.user_id = ${column('user_id')})
    and (one.client is null or one.client = ${column('client')}))`;
}
