import { sql, type SqlBool } from 'kysely';
import { CANCELLED } from '../../../attempt/attempt.ts';
import { isPending } from './guards.ts';
import { isChosen } from './chosen.ts';
import { prepare, type Bind, type Dialect, type Queries } from './prepare.ts';

interface AdmitValues {
  readonly attempt_id: string;
  readonly person_digest: string;
  readonly client: string;
  readonly at: number;
  readonly counts_until: number;
  /** JSON: `[{"quota": 3, "lengthMs": 600000, "client": "bank"}]`, the last one only of some. */
  readonly person_windows: string;
  readonly client_quota: number;
  readonly client_since: number;
  readonly service_quota: number;
  readonly service_since: number;
  /** Rejections after this time still cause the cool-down. */
  readonly cooling_since: number;
}

interface PurgeValues {
  readonly before: number;
  readonly limit: number;
}

export function pushQueries(dialect: Dialect) {
  const { db } = dialect;
  return {
    admitPush: admitPush(dialect),
    forgetPushes: forgetPushes(dialect),
    adoptPushes: prepare(
      dialect,
      (bind: Bind<{ readonly person_digest: string; readonly other_digest: string }>) =>
        db
          .updateTable('pushes')
          .set({ person_digest: bind('person_digest') })
          .where('person_digest', '=', bind('other_digest')),
    ),
    withdrawPush: prepare(
      dialect,
      (bind: Bind<{ readonly attempt_id: string; readonly person_digest: string }>) =>
        db
          .deleteFrom('pushes')
          .where('person_digest', '=', bind('person_digest'))
          .where('attempt_id', '=', bind('attempt_id')),
    ),
    countPushes: prepare(dialect, (bind: Bind<{ readonly after: number }>) =>
      db
        .selectFrom('pushes')
        .select(['client', ({ fn }) => fn.countAll<number>().as('count')])
        .where('admitted_at', '>', bind('after'))
        .groupBy('client'),
    ),
    deleteOldPushes: deleteOldPushes(dialect),
  };
}

/**
 * One statement checks the budgets and counts the push, so that no other push can come in between.
 */
function admitPush(dialect: Dialect) {
  const { db } = dialect;
  return prepare(dialect, (bind: Bind<AdmitValues>) =>
    db
      .insertInto('pushes')
      .columns(['attempt_id', 'person_digest', 'client', 'admitted_at', 'counts_until'])
      .expression(
        db
          .selectNoFrom([
            bind('attempt_id').as('attempt_id'),
            bind('person_digest').as('person_digest'),
            bind('client').as('client'),
            bind('at').as('admitted_at'),
            bind('counts_until').as('counts_until'),
          ])
          .where((query) => query.not(query.exists(blockingAttempt(db, bind))))
          .where(personHasLeft(dialect, bind))
          .where(clientSpent(db, bind), '<', bind('client_quota'))
          .where(serviceSpent(db, bind), '<', bind('service_quota')),
      )
      .returning('push_id'),
  );
}

/** Another pending attempt with a push to this person, or any that they have just refused. */
function blockingAttempt(db: Queries, bind: Bind<AdmitValues>) {
  return db
    .selectFrom('attempts')
    .select('attempt_id')
    .where('attempt_id', 'in', (pushes) =>
      pushes
        .selectFrom('pushes')
        .select('pushes.attempt_id')
        .where('person_digest', '=', bind('person_digest')),
    )
    .where((attempts) =>
      attempts.or([
        attempts.and([
          attempts('rejected_at', '>', bind('cooling_since')),
          attempts('end_reason', '<>', sql.lit(CANCELLED)),
        ]),
        attempts.and([
          attempts('attempt_id', '<>', bind('attempt_id')),
          isPending(attempts, bind('at')),
        ]),
      ]),
    );
}

/** All windows come as one JSON value, so their number does not matter. */
function personHasLeft(dialect: Dialect, bind: Bind<AdmitValues>) {
  return sql<SqlBool>`not exists (
    select 1 from ${dialect.elementsOf(bind('person_windows'))}
    where (
      select count(*) from pushes
      where person_digest = ${bind('person_digest')}
      and (item.value ->> 'client' is null or client = item.value ->> 'client')
      and admitted_at > ${bind('at')} - cast(item.value ->> 'lengthMs' as bigint)
    ) >= cast(item.value ->> 'quota' as bigint)
  )`;
}

function clientSpent(db: Queries, bind: Bind<AdmitValues>) {
  return db
    .selectFrom('pushes')
    .select(({ fn }) => fn.countAll<number>().as('spent'))
    .where('client', '=', bind('client'))
    .where('admitted_at', '>', bind('client_since'));
}

function serviceSpent(db: Queries, bind: Bind<AdmitValues>) {
  return db
    .selectFrom('pushes')
    .select(({ fn }) => fn.countAll<number>().as('spent'))
    .where('admitted_at', '>', bind('service_since'));
}

/** The pushes lose the person but are kept, because client and service still count them. */
function forgetPushes(dialect: Dialect) {
  const { db } = dialect;
  return prepare(dialect, (bind: Bind<{ readonly person_digest: string }>) =>
    db
      .updateTable('pushes')
      .$if(dialect.isForSets, (query) => query.from('given'))
      .set({ person_digest: sql.lit(null) })
      .where('person_digest', '=', bind('person_digest')),
  );
}

function deleteOldPushes(dialect: Dialect) {
  const { db } = dialect;
  return prepare(dialect, (bind: Bind<PurgeValues>) => {
    const old = db
      .selectFrom('pushes')
      .select('push_id')
      .where('counts_until', '<', bind('before'))
      .orderBy('counts_until')
      .limit(bind('limit'));
    return db.deleteFrom('pushes').where(isChosen('push_id', dialect, old));
  });
}
