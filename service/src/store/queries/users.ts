import type { PersonRow } from '../schema.ts';
import { isPending } from './guards.ts';
import { prepare, type Bind, type Queries } from './prepare.ts';

interface LoginValues extends PersonRow {
  readonly attempt_id: string;
  readonly flow: string;
  readonly at: number;
  readonly preferred_locale: string;
}

export function userQueries(db: Queries) {
  return {
    upsertUser: upsertUser(db),
    selectUser: prepare((bind: Bind<{ readonly id: number }>) =>
      db.selectFrom('users').selectAll().where('id', '=', bind('id')),
    ),
    selectUserOfAttempt: prepare((bind: Bind<{ readonly attempt_id: string }>) =>
      db
        .selectFrom('users')
        .innerJoin('attempts', 'attempts.user_id', 'users.id')
        .selectAll('users')
        .where('attempts.attempt_id', '=', bind('attempt_id')),
    ),
  };
}

/** Makes or updates the person's user, but only when their attempt can be authenticated now. */
function upsertUser(db: Queries) {
  return prepare((bind: Bind<LoginValues>) =>
    db
      .insertInto('users')
      .columns([...PERSON_COLUMNS, ...LOGIN_COLUMNS, 'created_at'])
      .expression(
        db
          .selectFrom('attempts')
          .select(PERSON_COLUMNS.map((column) => bind(column).as(column)))
          .select([
            bind('preferred_locale').as('preferred_locale'),
            bind('flow').as('last_auth_method'),
            bind('at').as('updated_at'),
            bind('at').as('created_at'),
          ])
          .where('attempt_id', '=', bind('attempt_id'))
          .where('flow', '=', bind('flow'))
          .where((attempts) => isPending(attempts, bind('at'))),
      )
      .onConflict((conflict) =>
        conflict.columns(['issuer', 'document_type', 'document_number']).doUpdateSet((users) => ({
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
      .returningAll(),
  );
}

const PERSON_COLUMNS = [
  'issuer',
  'document_type',
  'document_number',
  'national_id',
  'arabic_name',
  'english_name',
  'email',
  'nationality',
  'gender',
  'assurance_level',
] as const satisfies readonly (keyof PersonRow)[];

const LOGIN_COLUMNS = ['preferred_locale', 'last_auth_method', 'updated_at'] as const;
