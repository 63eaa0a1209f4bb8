import { sql } from 'kysely';
import type { AuditAction } from '../../../audit/audit.ts';
import { prepare, type Bind, type Dialect, type Queries } from './prepare.ts';

/** Where the proved part of the log begins. */
interface ProvedValues {
  /** Facts of before are left out: their rows were cut off at the front, or their key given up. */
  readonly at: number;
  /** Only rows after this one say how a fact came about. */
  readonly after: number;
}

/**
 * Selects a fact in the store without a row in the log that says how it came about, or a row whose
 * fact was undone. A fact that is gone was purged or erased.
 */
export function auditCheckQueries(dialect: Dialect) {
  return {
    selectContradiction: prepare(dialect, (bind: Bind<ProvedValues>) =>
      withLog(dialect.db, bind)
        .selectFrom(sql<Contradiction>`(${UNLOGGED} union all ${UNDONE})`.as('contradiction'))
        .selectAll()
        .limit(sql.lit(1)),
    ),
  };
}

/** The log is read once. What is asked of each token and attempt is found by an index. */
function withLog(db: Queries, bind: Bind<ProvedValues>) {
  return db
    .with('proved', () => db.selectNoFrom([bind('at').as('since'), bind('after').as('after')]))
    .with(
      (cte) => cte('facts').materialized(),
      () =>
        db
          .selectFrom('audit_log')
          .select(['sequence', 'at', 'action', 'user_id', 'client', 'detail'])
          .where(
            'action',
            'in',
            FACTS.map((action) => sql.lit(action)),
          )
          .where(IS_PROVED),
    )
    .with(
      (cte) => cte('revocations').materialized(),
      () => REVOCATIONS,
    )
    .with(
      (cte) => cte('latest').materialized(),
      () => LATEST,
    )
    .with(
      (cte) => cte('switches').materialized(),
      () => SWITCHES,
    )
    .with(
      (cte) => cte('valid').materialized(),
      () => VALID,
    );
}

const FACTS = [
  'tokens.revoked_all',
  'store.restored',
  'user.disabled',
  'user.enabled',
] as const satisfies readonly AuditAction[];

const IS_PROVED = sql<boolean>`audit_log.sequence > (select proved.after from proved)`;

interface Contradiction {
  readonly fault: string;
  readonly kind: string;
  readonly id: string;
  readonly action: string;
}

/** The rows of one revocation in several steps are one; the last has a detail: then it is whole. */
const REVOCATIONS = sql<Record<'sequence', number>>`(
  select action, at, user_id, client, min(sequence) as sequence,
    case when action = 'store.restored' or max(detail) is not null then 1 else 0 end as is_whole
  from facts where action in ('tokens.revoked_all', 'store.restored')
  group by action, at, user_id, client)`;

/** The latest of each scope: what had expired by then does no harm, whatever came before. */
const LATEST = sql<Record<'sequence', number>>`(
  select action, user_id, client, max(sequence) as sequence, max(at) as at
  from revocations where is_whole = 1 group by action, user_id, client)`;

const SWITCHES = sql<Record<'sequence', number>>`(
  select action, at, user_id, sequence from facts
  where action in ('user.disabled', 'user.enabled'))`;

/** Where in the log a token was issued; 0 where that was cut off. */
const ISSUED = sql`coalesce((
    select max(audit_log.sequence) from audit_log
    where audit_log.attempt_id = api_tokens.attempt_id and action = 'token.issued'
  ), 0)`;

const VALID = sql<Record<'issued', number>>`(
  select token_id, client, expires_at, ${ISSUED} as issued from api_tokens
  where revoked_at is null and exists (select 1 from latest where user_id is null))`;

const UNLOGGED = sql`
  select 'unlogged' as fault, 'token' as kind, token_id as id, 'token.issued' as action
    from api_tokens
    where ${isSince('created_at')} and not ${hasRow('api_tokens', 'token.issued')}
  union all
  select 'unlogged', 'token', token_id, 'token.revoked' from api_tokens
    where ${isSince('revoked_at')} and not ${hasRow('api_tokens', 'token.revoked')}
    and not ${isOfMany('api_tokens', 'revoked_at')}
  union all
  select 'unlogged', 'attempt', attempt_id, 'attempt.authenticated' from attempts
    where ${isSince('authenticated_at')} and not ${hasRow('attempts', 'attempt.authenticated')}
  union all
  select 'unlogged', 'attempt', attempt_id, 'token.issued' from attempts
    where ${isSince('redeemed_at')} and not ${hasRow('attempts', 'token.issued')}
    and not ${hasRow('attempts', 'openid.signed_in')}
  union all
  select 'unlogged', 'attempt', attempt_id, 'attempt.rejected' from attempts
    where ${isSince('rejected_at')} and not ${hasRow('attempts', 'attempt.rejected')}
  union all
  select 'unlogged', 'attempt', attempt_id, 'attempt.failed' from attempts
    where ${isSince('failed_at')} and not ${hasRow('attempts', 'attempt.failed')}
    and not ${hasRow('attempts', 'attempt.completion_missed', sql`and detail is not null`)}
    and not ${hasRow('attempts', 'attempt.spoiled')}
    and not ${isOfMany('attempts', 'failed_at')}
  union all
  select 'unlogged', 'user', cast(id as text), 'user.disabled' from users
    where ${isSince('disabled_at')} and not exists (
      select 1 from switches where action = 'user.disabled'
      and switches.user_id = users.id and switches.at = users.disabled_at)
    and not exists (
      select 1 from erased_people where erased_people.identity_digest = users.identity_digest
      and erased_people.erased_at = users.disabled_at)`;

/**
 * A revocation concerns what was issued before its first row, as the order of the log says, because
 * the clocks of instances differ. Of the rows about a user the last one counts.
 */
const UNDONE = sql`
  select 'undone', 'token', token_id, 'token.revoked' from api_tokens
    where revoked_at is null and ${hasRow('api_tokens', 'token.revoked')}
  union all
  select 'undone', 'token', token_id, action from latest join valid
    on valid.issued < latest.sequence and valid.expires_at > latest.at
    and (latest.client is null or latest.client = valid.client)
    where latest.user_id is null
  union all
  select 'undone', 'token', token_id, action from latest join api_tokens
    on api_tokens.user_id = latest.user_id and api_tokens.expires_at > latest.at
    where revoked_at is null and ${ISSUED} < latest.sequence
  union all
  select 'undone', 'user', cast(users.id as text), 'user.disabled' from users join (
      select user_id, max(case when action = 'user.disabled' then sequence end) as off_at,
        max(case when action = 'user.enabled' then sequence end) as on_at
      from switches group by user_id
    ) as switched on switched.user_id = users.id
    where disabled_at is null and off_at > coalesce(on_at, 0)`;

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
