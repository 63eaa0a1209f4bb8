import { sql, type Expression } from 'kysely';
import { CANCELLED } from '../../../attempt/attempt.ts';
import { COMPLETION_CODE_TRIES } from '../../../attempt/redeem/completion-code.ts';
import type { ErrorCode } from '../../../errors/catalogue.ts';
import type { AttemptRow } from '../schema.ts';
import { ATTEMPT_COLUMNS } from './columns.ts';
import {
  expiry,
  isAuthenticated,
  isBegunAfterEnd,
  isCompletable,
  isOpen,
  isPending,
} from './guards.ts';
import { selectNewestAttempts, selectPendingAttempts } from './attempt-lists.ts';
import { rowOf } from './row-of.ts';
import { isChosen } from './chosen.ts';
import { prepare, type Bind, type Dialect } from './prepare.ts';

/** A literal in the SQL text; a plain null would be one more bound value. */
const NULL = sql.lit(null);

interface OneAttempt {
  readonly attempt_id: string;
}

interface ProvenAttempt extends OneAttempt {
  readonly token_digest: string;
}

interface AtMoment extends OneAttempt {
  readonly at: number;
}

/**
 * `erase` is 1 in a store that erases the requested identifier when its attempt ends, otherwise 0.
 */
interface EndsRequest {
  readonly erase: number;
}

interface EndValues extends AtMoment, EndsRequest {
  readonly reason: ErrorCode;
}

interface AuthenticateValues extends AtMoment, EndsRequest {
  readonly flow: string;
  readonly identity_digest: string;
  readonly completion_digest: string | null;
  readonly completion_expires_at: number | null;
}

interface CompletionValues extends AtMoment {
  readonly completion_digest: string;
  readonly completion_expires_at: number;
}

interface RedeemedValues extends AtMoment {
  readonly replay_salt: string | null;
  readonly replay_key_digest: string | null;
  readonly replay_body_digest: string | null;
  readonly replay_misses: number | null;
}

interface PurgeValues {
  readonly before: number;
  readonly limit: number;
}

export function attemptQueries(dialect: Dialect) {
  const { db } = dialect;
  return {
    insertAttempt: insertAttempt(dialect),
    selectAttempt: prepare(dialect, (bind: Bind<OneAttempt>) =>
      db
        .selectFrom('attempts')
        .select(ATTEMPT_COLUMNS)
        .where('attempt_id', '=', bind('attempt_id')),
    ),
    selectProvenAttempt: prepare(dialect, (bind: Bind<ProvenAttempt>) =>
      db
        .selectFrom('attempts')
        .select(ATTEMPT_COLUMNS)
        .where('attempt_id', '=', bind('attempt_id'))
        .where('token_digest', '=', bind('token_digest')),
    ),
    selectPendingAttempts: selectPendingAttempts(dialect),
    authenticateAttempt: authenticateAttempt(dialect),
    selectNewestAttempts: selectNewestAttempts(dialect),
    rejectAttempt: endAttempt(dialect, 'rejected_at', isPending),
    failAttempt: endAttempt(dialect, 'failed_at', isOpen),
    cancelAttempt: cancelAttempt(dialect),
    failAuthenticated: endAttempt(dialect, 'failed_at', isAuthenticated),
    countWrongCode: countWrongCode(dialect),
    markRedeemed: markRedeemed(dialect),
    missReplay: missReplay(dialect),
    deleteExpiredAttempts: deleteExpiredAttempts(dialect),
    eraseSeals: eraseSeals(dialect),
    eraseIdentifiers: eraseIdentifiers(dialect),
    rotateCompletion: rotateCompletion(dialect),
  };
}

function insertAttempt(dialect: Dialect) {
  return prepare(dialect, (bind: Bind<AttemptRow>) =>
    dialect.db
      .insertInto('attempts')
      .columns(ATTEMPT_COLUMNS)
      .expression(
        rowOf(
          dialect,
          ATTEMPT_COLUMNS.map((column) => bind(column).as(column)),
        ),
      ),
  );
}

/** The second half of an authentication: `upsertUser` has written the user in the same unit. */
function authenticateAttempt(dialect: Dialect) {
  const { db } = dialect;
  return prepare(dialect, (bind: Bind<AuthenticateValues>) =>
    db
      .updateTable('attempts')
      .$if(dialect.isForSets, (query) => query.from('given'))
      .set((attempts) => ({
        authenticated_at: bind('at'),
        provider_expires_at: sql.lit(null),
        user_id: attempts
          .selectFrom('users')
          .select('users.id')
          .where('users.identity_digest', '=', bind('identity_digest')),
        national_id: keptIdentifier(bind('erase')),
        completion_digest: bind('completion_digest'),
        completion_expires_at: bind('completion_expires_at'),
      }))
      .where('attempt_id', '=', bind('attempt_id'))
      .where((attempts) => isCompletable(attempts, { flow: bind('flow'), at: bind('at') }))
      .where((attempts) => isBegunAfterEnd(attempts, bind('identity_digest')))
      .returning(ATTEMPT_COLUMNS),
  );
}

function keptIdentifier(erase: Expression<number>) {
  return sql<string | null>`case when ${erase} = 1 then null else national_id end`;
}

function endAttempt(dialect: Dialect, time: 'rejected_at' | 'failed_at', from: typeof isOpen) {
  const { db } = dialect;
  return prepare(dialect, (bind: Bind<EndValues>) =>
    db
      .updateTable('attempts')
      .set({
        [time]: bind('at'),
        end_reason: bind('reason'),
        national_id: keptIdentifier(bind('erase')),
      })
      .where('attempt_id', '=', bind('attempt_id'))
      .where((attempts) => from(attempts, bind('at')))
      .returning(ATTEMPT_COLUMNS),
  );
}

function cancelAttempt(dialect: Dialect) {
  const { db } = dialect;
  return prepare(dialect, (bind: Bind<AtMoment & EndsRequest>) =>
    db
      .updateTable('attempts')
      .set({
        rejected_at: bind('at'),
        end_reason: sql.lit(CANCELLED),
        authenticated_at: NULL,
        user_id: NULL,
        completion_digest: NULL,
        completion_expires_at: NULL,
        national_id: keptIdentifier(bind('erase')),
      })
      .where('attempt_id', '=', bind('attempt_id'))
      .where((attempts) => isOpen(attempts, bind('at')))
      .returning(ATTEMPT_COLUMNS),
  );
}

function countWrongCode(dialect: Dialect) {
  const { db } = dialect;
  // The limit is part of the SQL text, so the statement needs no decision outside of it.
  const isLast = sql<boolean>`completion_misses + 1 >= ${sql.lit(COMPLETION_CODE_TRIES)}`;
  const reason = sql.lit('attempt.failed' satisfies ErrorCode);
  return prepare(dialect, (bind: Bind<AtMoment & EndsRequest>) =>
    db
      .updateTable('attempts')
      .set((attempts) => ({
        completion_misses: sql<number>`completion_misses + 1`,
        failed_at: attempts.case().when(isLast).then(bind('at')).end(),
        end_reason: attempts.case().when(isLast).then(reason).end(),
        national_id: sql<string | null>`case when ${isLast} and ${bind('erase')} = 1
          then null else national_id end`,
      }))
      .where('attempt_id', '=', bind('attempt_id'))
      .where((attempts) => isAuthenticated(attempts, bind('at')))
      .returning(ATTEMPT_COLUMNS),
  );
}

/** Needs no guard: it runs only after the guard of `insertRedeemedToken` has passed. */
function markRedeemed(dialect: Dialect) {
  const { db } = dialect;
  return prepare(dialect, (bind: Bind<RedeemedValues>) =>
    db
      .updateTable('attempts')
      .$if(dialect.isForSets, (query) => query.from('given'))
      .set({
        redeemed_at: bind('at'),
        replay_salt: bind('replay_salt'),
        replay_key_digest: bind('replay_key_digest'),
        replay_body_digest: bind('replay_body_digest'),
        replay_misses: bind('replay_misses'),
      })
      .where('attempt_id', '=', bind('attempt_id')),
  );
}

function missReplay(dialect: Dialect) {
  const { db } = dialect;
  return prepare(dialect, (bind: Bind<OneAttempt>) =>
    db
      .updateTable('attempts')
      .set({ replay_misses: sql<number>`replay_misses + 1` })
      .where('attempt_id', '=', bind('attempt_id'))
      .where('replay_salt', 'is not', null),
  );
}

function deleteExpiredAttempts(dialect: Dialect) {
  const { db } = dialect;
  return prepare(dialect, (bind: Bind<PurgeValues>) => {
    const old = db
      .selectFrom('attempts')
      .select('attempt_id')
      .where((attempts) => attempts(expiry(attempts), '<', bind('before')))
      .orderBy((attempts) => expiry(attempts))
      .limit(bind('limit'));
    return db.deleteFrom('attempts').where(isChosen('attempt_id', dialect, old));
  });
}

function eraseSeals(dialect: Dialect) {
  const { db } = dialect;
  return prepare(dialect, (bind: Bind<PurgeValues>) => {
    const old = db
      .selectFrom('attempts')
      .select('attempt_id')
      .where('replay_salt', 'is not', null)
      .where('redeemed_at', '<', bind('before'))
      .orderBy('redeemed_at')
      .limit(bind('limit'));
    return db
      .updateTable('attempts')
      .set({
        replay_salt: NULL,
        replay_key_digest: NULL,
        replay_body_digest: NULL,
        replay_misses: NULL,
      })
      .where(isChosen('attempt_id', dialect, old));
  });
}

/** Erases the identifiers of attempts that expired. The index contains only sealed identifiers. */
function eraseIdentifiers(dialect: Dialect) {
  const { db } = dialect;
  return prepare(dialect, (bind: Bind<PurgeValues>) => {
    const old = db
      .selectFrom('attempts')
      .select('attempt_id')
      .where('national_id', '>', sql.lit('v'))
      .where((attempts) => attempts(expiry(attempts), '<', bind('before')))
      .orderBy((attempts) => expiry(attempts))
      .limit(bind('limit'));
    return db
      .updateTable('attempts')
      .set({ national_id: NULL })
      .where(isChosen('attempt_id', dialect, old));
  });
}

function rotateCompletion(dialect: Dialect) {
  const { db } = dialect;
  return prepare(dialect, (bind: Bind<CompletionValues>) =>
    db
      .updateTable('attempts')
      .set({
        completion_digest: bind('completion_digest'),
        completion_expires_at: bind('completion_expires_at'),
      })
      .where('attempt_id', '=', bind('attempt_id'))
      .where((attempts) => isAuthenticated(attempts, bind('at')))
      .returning(ATTEMPT_COLUMNS),
  );
}
