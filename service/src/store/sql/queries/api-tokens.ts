import { sql, type Expression, type ExpressionBuilder } from 'kysely';
import type { Tables } from '../schema.ts';
import { TOKEN_COLUMNS } from './columns.ts';
import { isAuthenticated } from './guards.ts';
import { isChosen } from './chosen.ts';
import { prepare, type Bind, type Dialect, type Queries } from './prepare.ts';

interface IssueValues {
  readonly attempt_id: string;
  readonly attempt_token_digest: string;
  readonly completion_digest: string | null;
  readonly at: number;
  readonly token_id: string;
  readonly token_digest: string;
  readonly device_name: string | null;
  readonly created_at: number;
  readonly expires_at: number;
}

interface OwnerValues {
  readonly user_id: number;
  readonly client: string;
  readonly at: number;
}

interface ListValues extends OwnerValues {
  /** Only tokens whose id comes before this one; null for all. */
  readonly below: string | null;
  readonly limit: number;
}

interface RevokeValues extends OwnerValues {
  readonly token_id: string;
}

interface PurgeValues {
  readonly before: number;
  readonly limit: number;
}

export function apiTokenQueries(dialect: Dialect) {
  const { db } = dialect;
  return {
    insertRedeemedToken: insertRedeemedToken(dialect),
    selectToken: prepare(dialect, (bind: Bind<{ readonly token_digest: string }>) =>
      db
        .selectFrom('api_tokens')
        .select(TOKEN_COLUMNS)
        .where('token_digest', '=', bind('token_digest')),
    ),
    selectTokenOfAttempt: prepare(dialect, (bind: Bind<{ readonly attempt_id: string }>) =>
      db
        .selectFrom('api_tokens')
        .select(TOKEN_COLUMNS)
        .where('attempt_id', '=', bind('attempt_id')),
    ),
    selectActiveTokens: selectActiveTokens(dialect),
    revokeToken: revokeToken(dialect),
    deleteExpiredTokens: deleteExpiredTokens(dialect),
  };
}

/**
 * The first half of a redemption: inserts a row only if the attempt can be redeemed now. It returns
 * what the caller does not know, and what the audit row needs.
 */
function insertRedeemedToken(dialect: Dialect) {
  const { db } = dialect;
  return prepare(dialect, (bind: Bind<IssueValues>) =>
    db
      .insertInto('api_tokens')
      .columns([
        'token_id',
        'token_digest',
        'attempt_id',
        'user_id',
        'client',
        'device_name',
        'created_at',
        'expires_at',
      ])
      .expression(
        db
          .selectFrom('attempts')
          .$if(dialect.isForSets, (query) => query.innerJoin('given', (join) => join.onTrue()))
          .select((attempts) => [
            bind('token_id').as('token_id'),
            bind('token_digest').as('token_digest'),
            'attempt_id',
            attempts.ref('user_id').$notNull().as('user_id'),
            'client',
            bind('device_name').as('device_name'),
            bind('created_at').as('created_at'),
            bind('expires_at').as('expires_at'),
          ])
          .where('attempt_id', '=', bind('attempt_id'))
          .where('token_digest', '=', bind('attempt_token_digest'))
          .where((attempts) => isAuthenticated(attempts, bind('at')))
          .where((attempts) => attempts.exists(admittedUser(db, attempts)))
          .where((attempts) =>
            isCodeRight(attempts, { digest: bind('completion_digest'), at: bind('at') }),
          ),
      )
      .returning(['attempt_id', 'user_id', 'client']),
  );
}

/** A caller without a completion code proves the attempt by its token alone. */
export function isCodeRight(
  attempts: ExpressionBuilder<Tables, 'attempts'>,
  { digest, at }: { readonly digest: Expression<string | null>; readonly at: Expression<number> },
) {
  return attempts.or([
    attempts(digest, 'is', null),
    attempts.and([
      attempts('completion_digest', '=', digest),
      attempts('completion_expires_at', '>', at),
    ]),
  ]);
}

/** Neither disabled, nor were their sign-ins ended since the attempt began. */
export function admittedUser(db: Queries, attempts: ExpressionBuilder<Tables, 'attempts'>) {
  return db
    .selectFrom('users')
    .select('users.id')
    .where('users.id', '=', attempts.ref('attempts.user_id').$notNull())
    .where('users.disabled_at', 'is', null)
    .where((users) =>
      users.or([
        users('users.sign_ins_ended_at', 'is', null),
        users('users.sign_ins_ended_at', '<', attempts.ref('attempts.created_at')),
      ]),
    );
}

/** Sorts after every id: ids consist of digits, lower-case letters and dashes. */
const ABOVE_ALL_IDS = sql.lit('~');

/** Uses the index of the person, so a page costs only its own rows, however many are revoked. */
function selectActiveTokens(dialect: Dialect) {
  const { db } = dialect;
  return prepare(dialect, (bind: Bind<ListValues>) =>
    db
      .selectFrom('api_tokens')
      .select(TOKEN_COLUMNS)
      .where('user_id', '=', bind('user_id'))
      .where('client', '=', bind('client'))
      .where('revoked_at', 'is', null)
      .where('token_id', '<', sql<string>`coalesce(${bind('below')}, ${ABOVE_ALL_IDS})`)
      .where('expires_at', '>', bind('at'))
      .orderBy('token_id', 'desc')
      .limit(bind('limit')),
  );
}

function revokeToken(dialect: Dialect) {
  const { db } = dialect;
  return prepare(dialect, (bind: Bind<RevokeValues>) =>
    db
      .updateTable('api_tokens')
      .set({ revoked_at: bind('at') })
      .where('token_id', '=', bind('token_id'))
      .where('user_id', '=', bind('user_id'))
      .where('client', '=', bind('client'))
      .where('revoked_at', 'is', null)
      .where('expires_at', '>', bind('at'))
      .returning(['attempt_id', 'user_id', 'client']),
  );
}

function deleteExpiredTokens(dialect: Dialect) {
  const { db } = dialect;
  return prepare(dialect, (bind: Bind<PurgeValues>) => {
    const old = db
      .selectFrom('api_tokens')
      .select('token_id')
      .where('expires_at', '<', bind('before'))
      .orderBy('expires_at')
      .limit(bind('limit'));
    return db.deleteFrom('api_tokens').where(isChosen('token_id', dialect, old));
  });
}
