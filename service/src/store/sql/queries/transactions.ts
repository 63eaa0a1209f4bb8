import { sql } from 'kysely';
import type { TransactionRow } from '../schema.ts';
import { ATTEMPT_COLUMNS, TRANSACTION_COLUMNS } from './columns.ts';
import { isOpen, isPending } from './guards.ts';
import { prepare, type Bind, type Dialect, type Queries } from './prepare.ts';

interface AtMoment {
  readonly attempt_id: string;
  readonly at: number;
}

type InsertValues = TransactionRow & AtMoment;

interface OpenedValues {
  readonly attempt_id: string;
  readonly binding_code: string | null;
  readonly provider_expires_at: number | null;
}

interface BrowserValues extends AtMoment {
  readonly browser_digest: string;
}

interface KeptValues extends AtMoment {
  readonly kept_tokens: string | null;
}

interface SessionValues extends BrowserValues {
  readonly launch_url: string;
  readonly state_digest: string;
  readonly nonce: string;
}

export function transactionQueries(dialect: Dialect) {
  const { db } = dialect;
  return {
    insertTransaction: insertTransaction(dialect),
    markOpened: markOpened(dialect),
    selectTransaction: prepare(dialect, (bind: Bind<{ readonly attempt_id: string }>) =>
      withAttempt(db).where('attempts.attempt_id', '=', bind('attempt_id')),
    ),
    selectTransactionByState: prepare(dialect, (bind: Bind<{ readonly state_digest: string }>) =>
      withAttempt(db).where('state_digest', '=', bind('state_digest')),
    ),
    bindBrowser: bindBrowser(dialect),
    replaceSession: replaceSession(dialect),
    eraseLaunchUrl: prepare(dialect, (bind: Bind<{ readonly attempt_id: string }>) =>
      db
        .updateTable('provider_transactions')
        .$if(dialect.isForSets, (query) => query.from('given'))
        .set({ launch_url: sql.lit(null), kept_tokens: sql.lit(null) })
        .where('attempt_id', '=', bind('attempt_id')),
    ),
    markSpoiled: markSpoiled(dialect),
    expirePush: expirePush(dialect),
    recordApprovalSeen: recordApprovalSeen(dialect),
    keepTokens: keepTokens(dialect),
    selectKeptPushes: selectKeptPushes(dialect),
    dropLateTokens: dropLateTokens(dialect),
  };
}

/** Returns a row only for a pending attempt without a transaction. */
function insertTransaction(dialect: Dialect) {
  const { db } = dialect;
  return prepare(dialect, (bind: Bind<InsertValues>) =>
    db
      .insertInto('provider_transactions')
      .columns(TRANSACTION_COLUMNS)
      .expression(
        db
          .selectFrom('attempts')
          .select(TRANSACTION_COLUMNS.map((column) => bind(column).as(column)))
          .where('attempt_id', '=', bind('attempt_id'))
          .where((attempts) => isPending(attempts, bind('at')))
          .where((query) =>
            query.not(
              query.exists(
                db
                  .selectFrom('provider_transactions')
                  .select('kind')
                  .where('attempt_id', '=', bind('attempt_id')),
              ),
            ),
          ),
      )
      .returning('attempt_id'),
  );
}

/** Needs no guard: it runs only after the guard of `insertTransaction` has passed. */
function markOpened(dialect: Dialect) {
  const { db } = dialect;
  return prepare(dialect, (bind: Bind<OpenedValues>) =>
    db
      .updateTable('attempts')
      .set({
        binding_code: bind('binding_code'),
        provider_expires_at: bind('provider_expires_at'),
      })
      .where('attempt_id', '=', bind('attempt_id'))
      .returning(ATTEMPT_COLUMNS),
  );
}

/** All but the key, which both tables name alike. */
const OWN_COLUMNS = TRANSACTION_COLUMNS.filter((column) => column !== 'attempt_id');

/** One statement, so that both rows are from the same moment. */
function withAttempt(db: Queries) {
  return db
    .selectFrom('provider_transactions')
    .innerJoin('attempts', 'attempts.attempt_id', 'provider_transactions.attempt_id')
    .select(ATTEMPT_COLUMNS.map((column) => `attempts.${column}` as const))
    .select(OWN_COLUMNS.map((column) => `provider_transactions.${column}` as const));
}

function bindBrowser(dialect: Dialect) {
  const { db } = dialect;
  return prepare(dialect, (bind: Bind<BrowserValues>) =>
    db
      .updateTable('provider_transactions')
      .set({ browser_digest: bind('browser_digest') })
      .where('attempt_id', '=', bind('attempt_id'))
      .where('kind', '=', sql.lit('redirect'))
      .where((transactions) =>
        transactions.or([
          transactions('browser_digest', 'is', null),
          transactions('browser_digest', '=', bind('browser_digest')),
        ]),
      )
      .where('spoiled_at', 'is', null)
      .where((query) => query.exists(pendingAttempt(db, bind)))
      .returning('attempt_id'),
  );
}

/**
 * Replaces the session and binds the browser in one statement, so that no session is replaced after
 * a browser was sent to it.
 */
function replaceSession(dialect: Dialect) {
  const { db } = dialect;
  return prepare(dialect, (bind: Bind<SessionValues>) =>
    db
      .updateTable('provider_transactions')
      .set({
        launch_url: bind('launch_url'),
        state_digest: bind('state_digest'),
        nonce: bind('nonce'),
        browser_digest: bind('browser_digest'),
      })
      .where('attempt_id', '=', bind('attempt_id'))
      .where('kind', '=', sql.lit('redirect'))
      .where('browser_digest', 'is', null)
      .where('spoiled_at', 'is', null)
      .where((query) => query.exists(pendingAttempt(db, bind)))
      .returning('attempt_id'),
  );
}

/** Returns a row only the first time; repeating it changes nothing. */
function markSpoiled(dialect: Dialect) {
  const { db } = dialect;
  return prepare(dialect, (bind: Bind<AtMoment>) =>
    db
      .updateTable('provider_transactions')
      .set({ spoiled_at: bind('at'), launch_url: sql.lit(null), kept_tokens: sql.lit(null) })
      .where('attempt_id', '=', bind('attempt_id'))
      .where('kind', '=', sql.lit('redirect'))
      .where('spoiled_at', 'is', null)
      .where((query) =>
        query.exists(
          db
            .selectFrom('attempts')
            .select('attempt_id')
            .where('attempt_id', '=', bind('attempt_id'))
            .where((attempts) => isOpen(attempts, bind('at'))),
        ),
      )
      .returning('attempt_id'),
  );
}

/** Also updates the index by expiry: for every reader the attempt expires at that time. */
function expirePush(dialect: Dialect) {
  const { db } = dialect;
  return prepare(dialect, (bind: Bind<AtMoment>) =>
    db
      .updateTable('attempts')
      .set({ provider_expires_at: bind('at') })
      .where('attempt_id', '=', bind('attempt_id'))
      .where((attempts) => isPending(attempts, bind('at')))
      .where((query) =>
        query.exists(
          db
            .selectFrom('provider_transactions')
            .select('kind')
            .where('attempt_id', '=', bind('attempt_id'))
            .where('kind', '=', sql.lit('push')),
        ),
      )
      .returning('attempt_id'),
  );
}

function recordApprovalSeen(dialect: Dialect) {
  const { db } = dialect;
  return prepare(dialect, (bind: Bind<AtMoment>) =>
    db
      .updateTable('provider_transactions')
      .set({ completed_seen_at: sql<number>`coalesce(completed_seen_at, ${bind('at')})` })
      .where('attempt_id', '=', bind('attempt_id'))
      .where('kind', '=', sql.lit('push'))
      .where((query) => query.exists(pendingAttempt(db, bind)))
      .returning('completed_seen_at'),
  );
}

function keepTokens(dialect: Dialect) {
  const { db } = dialect;
  return prepare(dialect, (bind: Bind<KeptValues>) =>
    db
      .updateTable('provider_transactions')
      .set({ kept_tokens: bind('kept_tokens') })
      .where('attempt_id', '=', bind('attempt_id'))
      .where('spoiled_at', 'is', null)
      .where((query) => query.exists(pendingAttempt(db, bind)))
      .returning('attempt_id'),
  );
}

/** An index has the few rows with kept tokens. */
function selectKeptPushes(dialect: Dialect) {
  const { db } = dialect;
  return prepare(dialect, (bind: Bind<{ readonly at: number }>) =>
    db
      .selectFrom('provider_transactions')
      .select('attempt_id')
      .where('kept_tokens', 'is not', null)
      .where('kind', '=', sql.lit('push'))
      .where((query) => query.exists(ownPendingAttempt(db, bind)))
      .orderBy('attempt_id'),
  );
}

function dropLateTokens(dialect: Dialect) {
  const { db } = dialect;
  return prepare(dialect, (bind: Bind<{ readonly at: number }>) =>
    db
      .updateTable('provider_transactions')
      .set({ kept_tokens: sql.lit(null) })
      .where('kept_tokens', 'is not', null)
      .where((query) => query.not(query.exists(ownPendingAttempt(db, bind)))),
  );
}

/** The attempt of the row that is looked at. */
function ownPendingAttempt(db: Queries, bind: Bind<{ readonly at: number }>) {
  return db
    .selectFrom('attempts')
    .select('attempts.attempt_id')
    .where(sql<boolean>`attempts.attempt_id = provider_transactions.attempt_id`)
    .where((attempts) => isPending(attempts, bind('at')));
}

function pendingAttempt(db: Queries, bind: Bind<AtMoment>) {
  return db
    .selectFrom('attempts')
    .select('attempt_id')
    .where('attempt_id', '=', bind('attempt_id'))
    .where((attempts) => isPending(attempts, bind('at')));
}
