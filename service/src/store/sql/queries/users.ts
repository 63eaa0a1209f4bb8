import { sql } from 'kysely';
import type { PersonRow } from '../schema.ts';
import { PERSON_COLUMNS, USER_COLUMNS } from './columns.ts';
import { isBegunAfterEnd, isCompletable } from './guards.ts';
import { prepare, type Bind, type Dialect } from './prepare.ts';

interface LoginValues extends PersonRow {
  readonly attempt_id: string;
  readonly flow: string;
  readonly at: number;
  readonly preferred_locale: string;
}

interface AdoptValues {
  readonly attempt_id: string;
  readonly flow: string;
  readonly at: number;
  readonly identity_digest: string;
  readonly retired_digest: string;
}

interface ResealValues extends Omit<PersonRow, 'issuer' | 'document_type' | 'assurance_level'> {
  readonly id: number;
  readonly sealed_before: string;
}

interface OneUser {
  readonly id: number;
}

export function userQueries(dialect: Dialect) {
  const { db } = dialect;
  return {
    selectBegunAfterEnd: prepare(
      dialect,
      (bind: Bind<{ readonly attempt_id: string; readonly identity_digest: string }>) =>
        db
          .selectFrom('attempts')
          .select('attempt_id')
          .where('attempt_id', '=', bind('attempt_id'))
          .where((attempts) => isBegunAfterEnd(attempts, bind('identity_digest'))),
    ),
    adoptUser: adoptUser(dialect),
    endSignIns: endSignIns(dialect),
    upsertUser: upsertUser(dialect),
    selectUsersUnderKey: prepare(
      dialect,
      (bind: Bind<{ readonly vault_key: string; readonly limit: number }>) =>
        db
          .selectFrom('users')
          .select(USER_COLUMNS)
          .where('vault_key', '=', bind('vault_key'))
          .limit(bind('limit')),
    ),
    resealUser: resealUser(dialect),
    disableUser: prepare(dialect, (bind: Bind<OneUser & { readonly at: number }>) =>
      db
        .updateTable('users')
        .set({ disabled_at: bind('at') })
        .where('id', '=', bind('id'))
        .where('disabled_at', 'is', null)
        .returning('id'),
    ),
    enableUser: prepare(dialect, (bind: Bind<OneUser>) =>
      db
        .updateTable('users')
        .set({ disabled_at: sql.lit(null) })
        .where('id', '=', bind('id'))
        .where('disabled_at', 'is not', null)
        .returning('id'),
    ),
    selectUser: prepare(dialect, (bind: Bind<OneUser>) =>
      db
        .selectFrom('users')
        .select([...USER_COLUMNS, 'subject'])
        .where('id', '=', bind('id')),
    ),
    selectPerson: prepare(dialect, (bind: Bind<{ readonly identity_digest: string }>) =>
      db
        .selectFrom('users')
        .select(USER_COLUMNS)
        .where('identity_digest', '=', bind('identity_digest')),
    ),
  };
}

/** The latest time counts. */
function endSignIns(dialect: Dialect) {
  const { db } = dialect;
  return prepare(dialect, (bind: Bind<{ readonly id: number; readonly at: number }>) =>
    db
      .updateTable('users')
      .set({ sign_ins_ended_at: bind('at') })
      .where('id', '=', bind('id'))
      .where((users) =>
        users.or([
          users('sign_ins_ended_at', 'is', null),
          users('sign_ins_ended_at', '<', bind('at')),
        ]),
      ),
  );
}

/**
 * Moves a person who is stored under an earlier key to the current digest, right before
 * `upsertUser` seals the whole row again: in the same unit and under the same condition.
 */
function adoptUser(dialect: Dialect) {
  const { db } = dialect;
  return prepare(dialect, (bind: Bind<AdoptValues>) =>
    db
      .updateTable('users')
      .set({ identity_digest: bind('identity_digest') })
      .where('identity_digest', '=', bind('retired_digest'))
      // Another instance, which did not know the new key, may have made a second row.
      .where((query) =>
        query.not(
          query.exists(
            db
              .selectFrom('users as known')
              .select('known.id')
              .where('known.identity_digest', '=', bind('identity_digest')),
          ),
        ),
      )
      .where((query) =>
        query.exists(
          db
            .selectFrom('attempts')
            .select('attempt_id')
            .where('attempt_id', '=', bind('attempt_id'))
            .where((attempts) => isCompletable(attempts, { flow: bind('flow'), at: bind('at') })),
        ),
      ),
  );
}

/**
 * Only if the row is unchanged since it was read. Sealing never gives the same text twice, so an
 * equal text means an unchanged row.
 */
function resealUser(dialect: Dialect) {
  const { db } = dialect;
  return prepare(dialect, (bind: Bind<ResealValues>) =>
    db
      .updateTable('users')
      .set({
        identity_digest: bind('identity_digest'),
        vault_key: bind('vault_key'),
        document_number: bind('document_number'),
        national_id: bind('national_id'),
        arabic_name: bind('arabic_name'),
        english_name: bind('english_name'),
        email: bind('email'),
        nationality: bind('nationality'),
        gender: bind('gender'),
      })
      .where('id', '=', bind('id'))
      .where('national_id', '=', bind('sealed_before')),
  );
}

/** Creates or updates the person's user, but only if their attempt can be authenticated now. */
function upsertUser(dialect: Dialect) {
  const { db } = dialect;
  return prepare(dialect, (bind: Bind<LoginValues>) =>
    db
      .insertInto('users')
      .columns([...PERSON_COLUMNS, ...LOGIN_COLUMNS, 'created_at', 'disabled_at'])
      .expression(
        db
          .selectFrom('attempts')
          .$if(dialect.isForSets, (query) => query.innerJoin('given', (join) => join.onTrue()))
          .select(PERSON_COLUMNS.map((column) => bind(column).as(column)))
          .select([
            bind('preferred_locale').as('preferred_locale'),
            bind('flow').as('last_auth_method'),
            bind('at').as('updated_at'),
            bind('at').as('created_at'),
            keptOutSince(dialect, bind).as('disabled_at'),
          ])
          .where('attempt_id', '=', bind('attempt_id'))
          .where((attempts) => isCompletable(attempts, { flow: bind('flow'), at: bind('at') }))
          .where((attempts) => isBegunAfterEnd(attempts, bind('identity_digest'))),
      )
      .onConflict((conflict) =>
        conflict.column('identity_digest').doUpdateSet((users) => ({
          vault_key: users.ref('excluded.vault_key'),
          document_number: users.ref('excluded.document_number'),
          national_id: users.ref('excluded.national_id'),
          arabic_name: users.ref('excluded.arabic_name'),
          english_name: users.ref('excluded.english_name'),
          email: users.ref('excluded.email'),
          nationality: users.ref('excluded.nationality'),
          gender: users.ref('excluded.gender'),
          assurance_level: users.ref('excluded.assurance_level'),
          preferred_locale: users.ref('excluded.preferred_locale'),
          last_auth_method: users.ref('excluded.last_auth_method'),
          updated_at: users.ref('excluded.updated_at'),
        })),
      )
      .returning(USER_COLUMNS),
  );
}

/** For a new user: when the person was erased and kept out, else null. */
function keptOutSince({ db }: Dialect, bind: Bind<LoginValues>) {
  return db
    .selectFrom('erased_people')
    .select('erased_at')
    .where('erased_people.identity_digest', '=', bind('identity_digest'));
}

const LOGIN_COLUMNS = ['preferred_locale', 'last_auth_method', 'updated_at'] as const;
