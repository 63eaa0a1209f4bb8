import { sql, type SqlBool } from 'kysely';
import type { OpenidRecordRow } from '../schema.ts';
import { admittedUser, isCodeRight } from './api-tokens.ts';
import { isChosen } from './chosen.ts';
import { ATTEMPT_COLUMNS, OPENID_COLUMNS, USER_COLUMNS } from './columns.ts';
import { isAuthenticated } from './guards.ts';
import { prepare, type Bind, type Dialect } from './prepare.ts';
import { rowOf } from './row-of.ts';

interface OneRecord {
  readonly record_digest: string;
}

interface LinkValues extends OneRecord {
  readonly attempt_id: string;
  /** What the record is linked to; null for nothing. */
  readonly linked: string | null;
}

interface ConsumeValues {
  readonly attempt_id: string;
  readonly completion_digest: string | null;
  readonly at: number;
}

type BeginValues = Pick<ConsumeValues, 'attempt_id'> &
  Pick<
    OpenidRecordRow,
    'record_digest' | 'model' | 'body' | 'vault_key' | 'grant_digest' | 'expires_at'
  >;

interface ScopeValues {
  readonly user_id: number | null;
  readonly client: string | null;
}

interface PurgeValues {
  readonly before: number;
  readonly limit: number;
}

interface ResealValues extends OneRecord {
  readonly body: string;
  readonly vault_key: string | null;
  readonly sealed_before: string;
}

export function openidQueries(dialect: Dialect) {
  const { db } = dialect;
  return {
    ...recordQueries(dialect),
    ...endQueries(dialect),
    consumeAttempt: prepare(dialect, (bind: Bind<ConsumeValues>) =>
      db
        .updateTable('attempts')
        .set({ redeemed_at: bind('at') })
        .where('attempt_id', '=', bind('attempt_id'))
        .where((attempts) => isAuthenticated(attempts, bind('at')))
        .where((attempts) => attempts.exists(admittedUser(db, attempts)))
        .where((attempts) =>
          isCodeRight(attempts, { digest: bind('completion_digest'), at: bind('at') }),
        )
        .returning(ATTEMPT_COLUMNS),
    ),
    nameSubject: prepare(
      dialect,
      (bind: Bind<{ readonly attempt_id: string; readonly subject: string }>) =>
        db
          .updateTable('users')
          .set({ subject: sql<string>`coalesce(subject, ${bind('subject')})` })
          .where('id', '=', (attempts) =>
            attempts
              .selectFrom('attempts')
              .select((attempt) => attempt.ref('attempts.user_id').$notNull().as('user_id'))
              .where('attempts.attempt_id', '=', bind('attempt_id')),
          )
          .returning([...USER_COLUMNS, 'subject']),
    ),
    beginGrant: beginGrant(dialect),
    selectSubject: prepare(dialect, (bind: Bind<{ readonly subject: string }>) =>
      db.selectFrom('users').select(USER_COLUMNS).where('subject', '=', bind('subject')),
    ),
  };
}

function recordQueries(dialect: Dialect) {
  const { db } = dialect;
  const select = () => db.selectFrom('openid_records').select(OPENID_COLUMNS);
  return {
    putOpenid: putOpenid(dialect),
    keepOpenid: prepare(dialect, (bind: Bind<OpenidRecordRow>) =>
      insertion(dialect, bind).onConflict((conflict) =>
        conflict.column('record_digest').doNothing(),
      ),
    ),
    selectOpenid: prepare(dialect, (bind: Bind<OneRecord>) =>
      select().where('record_digest', '=', bind('record_digest')),
    ),
    selectOpenidByHandle: prepare(dialect, (bind: Bind<{ readonly handle_digest: string }>) =>
      select().where('handle_digest', '=', bind('handle_digest')),
    ),
    selectOpenidOfAttempt: prepare(dialect, (bind: Bind<{ readonly attempt_id: string }>) =>
      select().where('attempt_id', '=', bind('attempt_id')),
    ),
    linkOpenid: prepare(dialect, (bind: Bind<LinkValues>) =>
      db
        .updateTable('openid_records')
        .set({ attempt_id: bind('attempt_id') })
        .where('record_digest', '=', bind('record_digest'))
        .where(sql<SqlBool>`attempt_id is not distinct from ${bind('linked')}`)
        .returning('record_digest'),
    ),
    consumeOpenid: prepare(dialect, (bind: Bind<OneRecord & { readonly at: number }>) =>
      db
        .updateTable('openid_records')
        .set({ consumed_at: bind('at') })
        .where('record_digest', '=', bind('record_digest'))
        .where('consumed_at', 'is', null)
        .returning('record_digest'),
    ),
    selectOpenidUnderKey: prepare(
      dialect,
      (bind: Bind<{ readonly vault_key: string; readonly limit: number }>) =>
        select().where('vault_key', '=', bind('vault_key')).limit(bind('limit')),
    ),
    /** Only if the row is unchanged since it was read, as `resealUser` does. */
    resealOpenid: prepare(dialect, (bind: Bind<ResealValues>) =>
      db
        .updateTable('openid_records')
        .set({ body: bind('body'), vault_key: bind('vault_key') })
        .where('record_digest', '=', bind('record_digest'))
        .where('body', '=', bind('sealed_before'))
        .returning('record_digest'),
    ),
  };
}

function insertion(dialect: Dialect, bind: Bind<OpenidRecordRow>) {
  return dialect.db
    .insertInto('openid_records')
    .columns(OPENID_COLUMNS)
    .expression(
      rowOf(
        dialect,
        OPENID_COLUMNS.map((column) => bind(column).as(column)),
      ),
    );
}

/**
 * Written anew, a record keeps its attempt and stays consumed. What ends with a grant is written while
 * that is there: a revocation of before has removed it.
 */
function putOpenid(dialect: Dialect) {
  const { db } = dialect;
  return prepare(dialect, (bind: Bind<OpenidRecordRow>) => {
    const columns = OPENID_COLUMNS.map((column) => bind(column).as(column));
    const given = dialect.isForSets
      ? db.selectFrom('given').select(columns)
      : db.selectNoFrom(columns);
    const ofGrant = db
      .selectFrom('openid_records as known')
      .select('known.record_digest')
      .where('known.grant_digest', '=', bind('grant_digest'));
    return db
      .insertInto('openid_records')
      .columns(OPENID_COLUMNS)
      .expression(given.where(sql<SqlBool>`(${bind('grant_digest')} is null or exists ${ofGrant})`))
      .onConflict((conflict) =>
        conflict.column('record_digest').doUpdateSet((records) => ({
          body: records.ref('excluded.body'),
          vault_key: records.ref('excluded.vault_key'),
          grant_digest: records.ref('excluded.grant_digest'),
          handle_digest: records.ref('excluded.handle_digest'),
          subject: records.ref('excluded.subject'),
          client: records.ref('excluded.client'),
          expires_at: records.ref('excluded.expires_at'),
        })),
      )
      .returning('record_digest');
  });
}

/** The first record of a grant, after `consumeAttempt` and `nameSubject` in the same unit. */
function beginGrant(dialect: Dialect) {
  const { db } = dialect;
  return prepare(dialect, (bind: Bind<BeginValues>) =>
    db
      .insertInto('openid_records')
      .columns([
        'record_digest',
        'model',
        'body',
        'vault_key',
        'grant_digest',
        'expires_at',
        'subject',
        'client',
      ])
      .expression(
        db
          .selectFrom('attempts')
          .innerJoin('users', 'users.id', 'attempts.user_id')
          .$if(dialect.isForSets, (query) => query.innerJoin('given', (join) => join.onTrue()))
          .select([
            bind('record_digest').as('record_digest'),
            bind('model').as('model'),
            bind('body').as('body'),
            bind('vault_key').as('vault_key'),
            bind('grant_digest').as('grant_digest'),
            bind('expires_at').as('expires_at'),
            'users.subject',
            'attempts.client',
          ])
          .where('attempts.attempt_id', '=', bind('attempt_id')),
      ),
  );
}

function endQueries(dialect: Dialect) {
  const { db } = dialect;
  return {
    deleteOpenid: prepare(dialect, (bind: Bind<OneRecord>) =>
      db
        .deleteFrom('openid_records')
        .where('record_digest', '=', bind('record_digest'))
        .returning('record_digest'),
    ),
    deleteOpenidGrant: prepare(dialect, (bind: Bind<{ readonly grant_digest: string }>) =>
      db
        .deleteFrom('openid_records')
        .where('grant_digest', '=', bind('grant_digest'))
        .returning((records) => [
          'client',
          records
            .selectFrom('users')
            .select('users.id')
            .whereRef('users.subject', '=', 'openid_records.subject')
            .as('user_id'),
        ]),
    ),
    /** What does not expire is of nobody. */
    deleteOpenidOf: prepare(dialect, (bind: Bind<ScopeValues>) => {
      const { user_id, client } = { user_id: bind('user_id'), client: bind('client') };
      return db
        .deleteFrom('openid_records')
        .where('expires_at', 'is not', null)
        .where(
          sql<SqlBool>`(${user_id} is null
            or subject = (select users.subject from users where users.id = ${user_id}))
            and (${client} is null or client = ${client})`,
        );
    }),
    deleteExpiredOpenid: prepare(dialect, (bind: Bind<PurgeValues>) => {
      const old = db
        .selectFrom('openid_records')
        .select('record_digest')
        .where('expires_at', '<', bind('before'))
        .orderBy('expires_at')
        .limit(bind('limit'));
      return db.deleteFrom('openid_records').where(isChosen('record_digest', dialect, old));
    }),
  };
}
