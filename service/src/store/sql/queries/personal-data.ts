import { sql } from 'kysely';
import { ATTEMPT_COLUMNS, OPENID_COLUMNS, TOKEN_COLUMNS, USER_COLUMNS } from './columns.ts';
import type { ErasedPersonRow } from '../schema.ts';
import { prepare, type Bind, type Dialect } from './prepare.ts';

interface OneUser {
  readonly id: number;
}

interface PageOfUsers {
  readonly after: number;
  readonly limit: number;
}

interface PageOfAttempts {
  /** The last attempt of the page before; empty for the first page. */
  readonly attempt_id: string;
  readonly limit: number;
}

interface AdoptValues {
  readonly identity_digest: string;
  readonly retired_digest: string;
  readonly vault_key: string | null;
}

/** Reads what is stored about one person. */
export function personalDataQueries(dialect: Dialect) {
  const { db } = dialect;
  return {
    selectUsersAfter: prepare(dialect, (bind: Bind<PageOfUsers>) =>
      db
        .selectFrom('users')
        .select(USER_COLUMNS)
        .where('id', '>', bind('after'))
        .orderBy('id')
        .limit(bind('limit')),
    ),
    selectTokensOfUser: prepare(dialect, (bind: Bind<OneUser>) =>
      db
        .selectFrom('api_tokens')
        .select(TOKEN_COLUMNS)
        .where('user_id', '=', bind('id'))
        .orderBy('token_id'),
    ),
    selectAttemptsOfUser: prepare(dialect, (bind: Bind<OneUser>) =>
      db.selectFrom('attempts').select(ATTEMPT_COLUMNS).where('user_id', '=', bind('id')),
    ),
    selectOpenidOfUser: prepare(dialect, (bind: Bind<OneUser>) =>
      db
        .selectFrom('openid_records')
        .select(OPENID_COLUMNS)
        .where('subject', '=', (records) =>
          records
            .selectFrom('users')
            .select((users) => users.ref('users.subject').$notNull().as('subject'))
            .where('users.id', '=', bind('id')),
        )
        .orderBy('record_digest'),
    ),
    /** Sealed identifiers can't be searched, so all of them are read. */
    selectAttemptsNaming: prepare(dialect, (bind: Bind<PageOfAttempts>) =>
      db
        .selectFrom('attempts')
        .select(ATTEMPT_COLUMNS)
        .where('national_id', 'is not', null)
        .where('attempt_id', '>', bind('attempt_id'))
        .orderBy('attempt_id')
        .limit(bind('limit')),
    ),
    selectPushesOfPerson: prepare(dialect, (bind: Bind<{ readonly person_digest: string }>) =>
      db
        .selectFrom('pushes')
        .select(['push_id', 'attempt_id', 'client', 'admitted_at', 'counts_until'])
        .where('person_digest', '=', bind('person_digest'))
        .orderBy('push_id'),
    ),
    ...erasureQueries(dialect),
    ...keptOutQueries(dialect),
  };
}

function erasureQueries(dialect: Dialect) {
  const { db } = dialect;
  return {
    /** A disabled user only if somebody has decided what becomes of that. */
    selectErasable: prepare(dialect, (bind: Bind<OneUser & { readonly decided: number }>) =>
      db
        .selectFrom('users')
        .select('id')
        .where('id', '=', bind('id'))
        .where((users) =>
          users.or([users('disabled_at', 'is', null), sql<boolean>`${bind('decided')} = 1`]),
        ),
    ),
    deleteAttemptsOfUser: prepare(dialect, (bind: Bind<OneUser>) =>
      db.deleteFrom('attempts').where('user_id', '=', bind('id')),
    ),
    deleteOpenAttempt: prepare(dialect, (bind: Bind<{ readonly attempt_id: string }>) =>
      db
        .deleteFrom('attempts')
        .where('attempt_id', '=', bind('attempt_id'))
        .where('user_id', 'is', null),
    ),
    deleteTokensOfUser: prepare(dialect, (bind: Bind<OneUser>) =>
      db.deleteFrom('api_tokens').where('user_id', '=', bind('id')),
    ),
    deleteUser: prepare(dialect, (bind: Bind<OneUser>) =>
      db.deleteFrom('users').where('id', '=', bind('id')),
    ),
  };
}

/** Who was erased and is kept out. */
function keptOutQueries(dialect: Dialect) {
  const { db } = dialect;
  return {
    keepOut: prepare(dialect, (bind: Bind<OneUser & { readonly at: number }>) =>
      db
        .insertInto('erased_people')
        .columns(['identity_digest', 'vault_key', 'erased_at'])
        .expression(
          db
            .selectFrom('users')
            .select(['identity_digest', 'vault_key', bind('at').as('erased_at')])
            .where('id', '=', bind('id')),
        )
        .onConflict((conflict) => conflict.column('identity_digest').doNothing()),
    ),
    adoptKeptOut: adoptKeptOut(dialect),
    insertKeptOut: insertKeptOut(dialect),
    selectKeptOut: prepare(dialect, () =>
      db
        .selectFrom('erased_people')
        .select(['identity_digest', 'vault_key', 'erased_at'])
        .orderBy('identity_digest'),
    ),
    letIn: prepare(dialect, (bind: Bind<Pick<ErasedPersonRow, 'identity_digest'>>) =>
      db.deleteFrom('erased_people').where('identity_digest', '=', bind('identity_digest')),
    ),
    countKeptOutUnder: prepare(dialect, (bind: Bind<{ readonly vault_key: string }>) =>
      db
        .selectFrom('erased_people')
        .select((people) => people.fn.countAll<number>().as('count'))
        .where('vault_key', '=', bind('vault_key')),
    ),
  };
}

/** Moves the person to the current digest, right before `upsertUser` looks for it. */
function adoptKeptOut(dialect: Dialect) {
  const { db } = dialect;
  return prepare(dialect, (bind: Bind<AdoptValues>) =>
    db
      .updateTable('erased_people')
      .set({ identity_digest: bind('identity_digest'), vault_key: bind('vault_key') })
      .where('identity_digest', '=', bind('retired_digest'))
      .where((query) =>
        query.not(
          query.exists(
            db
              .selectFrom('erased_people as known')
              .select('known.identity_digest')
              .where('known.identity_digest', '=', bind('identity_digest')),
          ),
        ),
      ),
  );
}

function insertKeptOut(dialect: Dialect) {
  const { db } = dialect;
  return prepare(dialect, (bind: Bind<ErasedPersonRow>) =>
    db
      .insertInto('erased_people')
      .columns(['identity_digest', 'vault_key', 'erased_at'])
      .expression(
        db
          .selectNoFrom([
            bind('identity_digest').as('identity_digest'),
            bind('vault_key').as('vault_key'),
            bind('erased_at').as('erased_at'),
          ])
          .where(sql.lit(true)),
      )
      .onConflict((conflict) => conflict.column('identity_digest').doNothing()),
  );
}
