import { type Expression, type ExpressionBuilder, sql, type SqlBool } from 'kysely';
import { TOLD_AT_END } from '../../../account/openid-client.ts';
import type { OpenidRecordRow, Tables } from '../schema.ts';
import { admittedUser, isCodeRight } from './api-tokens.ts';
import { isChosen } from './chosen.ts';
import { ATTEMPT_COLUMNS, OPENID_COLUMNS, USER_COLUMNS } from './columns.ts';
import { isAuthenticated } from './guards.ts';
import { prepare, type Bind, type Dialect } from './prepare.ts';
import { openidEndQueries, type OneRecord } from './openid-ends.ts';
import { rowOf } from './row-of.ts';

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
  Pick<OpenidRecordRow, (typeof BEGUN_COLUMNS)[number]>;

/** What the first record of a grant is given; its person and its client are looked up. */
const BEGUN_COLUMNS = [
  'record_digest',
  'model',
  'body',
  'vault_key',
  'grant_digest',
  'expires_at',
] as const;

/** The user whom a record is about. */
const userOf = (records: ExpressionBuilder<Tables, 'openid_records'>) =>
  records
    .selectFrom('users')
    .select('users.id')
    .whereRef('users.subject', '=', 'openid_records.subject');

type FollowValues = OpenidRecordRow & { readonly from_digest: string };

type ContinueValues = Omit<BeginValues, 'attempt_id'> & {
  readonly from_digest: string;
  readonly client: string | null;
  readonly at: number;
};

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
    ...openidEndQueries(dialect),
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
    putOpenidOfAttempt: putOpenidOfAttempt(dialect),
    continueOpenid: continueOpenid(dialect),
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
    followOpenid: followOpenid(dialect),
    keepOpenid: prepare(dialect, (bind: Bind<OpenidRecordRow>) =>
      insertion(dialect, bind).onConflict((conflict) =>
        conflict.column('record_digest').doNothing(),
      ),
    ),
    selectOpenid: prepare(dialect, (bind: Bind<OneRecord>) =>
      select().where('record_digest', '=', bind('record_digest')),
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

/** Written anew, a record keeps its attempt and stays consumed. */
function writing(
  { db, isForSets }: Dialect,
  bind: Bind<OpenidRecordRow>,
  condition: Expression<SqlBool>,
) {
  const columns = OPENID_COLUMNS.map((column) => bind(column).as(column));
  const given = isForSets ? db.selectFrom('given').select(columns) : db.selectNoFrom(columns);
  return db
    .insertInto('openid_records')
    .columns(OPENID_COLUMNS)
    .expression(given.where(condition))
    .onConflict((conflict) =>
      conflict.column('record_digest').doUpdateSet((records) => ({
        body: records.ref('excluded.body'),
        vault_key: records.ref('excluded.vault_key'),
        grant_digest: records.ref('excluded.grant_digest'),
        subject: records.ref('excluded.subject'),
        client: records.ref('excluded.client'),
        expires_at: records.ref('excluded.expires_at'),
      })),
    )
    .returning('record_digest');
}

/** What ends with a grant is written while that is there: a revocation of before has removed it. */
function putOpenid(dialect: Dialect) {
  return prepare(dialect, (bind: Bind<OpenidRecordRow>) => {
    const ofGrant = dialect.db
      .selectFrom('openid_records as known')
      .select('known.record_digest')
      .where('known.grant_digest', '=', bind('grant_digest'))
      // It outlives the grant, and is no sign of it.
      .where('known.model', '!=', sql.lit(TOLD_AT_END));
    const mayBe = sql<SqlBool>`(${bind('grant_digest')} is null or exists ${ofGrant})`;
    return writing(dialect, bind, mayBe);
  });
}

/** What follows another record is written while that is there. */
function followOpenid(dialect: Dialect) {
  return prepare(dialect, (bind: Bind<FollowValues>) => {
    const followed = dialect.db
      .selectFrom('openid_records as known')
      .select('known.record_digest')
      .where('known.record_digest', '=', bind('from_digest'));
    return writing(dialect, bind, sql<SqlBool>`exists ${followed}`);
  });
}

/** The first record of a grant for the person of another record, while they may sign in. */
function continueOpenid(dialect: Dialect) {
  const { db } = dialect;
  return prepare(dialect, (bind: Bind<ContinueValues>) =>
    db
      .insertInto('openid_records')
      .columns([...BEGUN_COLUMNS, 'client', 'subject'])
      .expression(
        db
          .selectFrom('openid_records as known')
          .innerJoin('users', 'users.subject', 'known.subject')
          .$if(dialect.isForSets, (query) => query.innerJoin('given', (join) => join.onTrue()))
          .select([
            ...BEGUN_COLUMNS.map((column) => bind(column).as(column)),
            bind('client').as('client'),
            'known.subject',
          ])
          .where('known.record_digest', '=', bind('from_digest'))
          .where('known.expires_at', '>', bind('at'))
          .where('users.disabled_at', 'is', null),
      )
      .returning((records) => ['client', userOf(records).as('user_id')]),
  );
}

/** A record of the person of an attempt, who has a `sub`: after `nameSubject` in the same unit. */
function putOpenidOfAttempt(dialect: Dialect) {
  const { db } = dialect;
  return prepare(dialect, (bind: Bind<BeginValues>) =>
    db
      .insertInto('openid_records')
      .columns([...BEGUN_COLUMNS, 'subject', 'client'])
      .expression(
        db
          .selectFrom('attempts')
          .innerJoin('users', 'users.id', 'attempts.user_id')
          .$if(dialect.isForSets, (query) => query.innerJoin('given', (join) => join.onTrue()))
          .select([
            ...BEGUN_COLUMNS.map((column) => bind(column).as(column)),
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
        // The client may have begun a session of its own, of which it is told when the person is stopped.
        .where('model', '!=', sql.lit(TOLD_AT_END))
        .returning((records) => ['client', userOf(records).as('user_id')]),
    ),
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
