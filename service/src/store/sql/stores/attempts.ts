import {
  AFTER_ALL_ATTEMPTS,
  firstIdAt,
  parseAttemptId,
  type AttemptId,
} from '../../../values/ids.ts';
import { ATTEMPT_LIFETIME_MS, type AttemptRecord } from '../../../attempt/attempt.ts';
import type { Ms } from '../../../values/time.ts';
import type {
  AttemptStore,
  AttemptWithTransaction,
  AttemptWithUser,
} from '../../ports/store.port.ts';
import * as attempts from '../commands/attempts.ts';
import * as logins from '../commands/logins.ts';
import * as transactions from '../commands/transactions.ts';
import type { CommandParts, SqlParts } from '../engine.ts';
import { all, one, type Read, type SqlRow } from '../statement.ts';
import { attemptFromRow } from '../rows/attempts.ts';
import { RowReader } from '../rows/row-reader.ts';
import { transactionFromRow } from '../rows/transactions.ts';
import type { TransactionRow } from '../schema.ts';
import { userWith } from './users.ts';

export function attemptStore(parts: SqlParts): AttemptStore {
  const { engine, sql } = parts;
  return {
    insertAttempt: (attempt) => engine.run(attempts.insertAttempt(parts, attempt)),
    findAttempt: (attemptId) =>
      engine.read(withUser(parts, one(sql.selectAttempt, { attempt_id: attemptId }))),
    findProvenAttempt: (attemptId, tokenDigest) => {
      const proof = { attempt_id: attemptId, token_digest: tokenDigest };
      return engine.read(withUser(parts, one(sql.selectProvenAttempt, proof)));
    },
    pendingAttempts: (now, limit, scope) => engine.read(pendingAttempts(parts, now, limit, scope)),
    newestAttempts: (limit, scope, before) =>
      engine.read(newestAttempts(parts, limit, scope, before ?? AFTER_ALL_ATTEMPTS)),
    authenticateAttempt: (change) => engine.run(logins.authenticateAttempt(parts, change)),
    rejectAttempt: (change) => engine.run(attempts.rejectAttempt(parts, change)),
    failAttempt: (change) => engine.run(attempts.failAttempt(parts, change)),
    cancelAttempt: (change) => engine.run(attempts.cancelAttempt(parts, change)),
    countWrongCode: (attemptId, at) => engine.run(attempts.countWrongCode(parts, attemptId, at)),
    redeemAttempt: (change) => engine.run(logins.redeemAttempt(parts, change)),
    missReplay: (attemptId) => engine.run(attempts.missReplay(parts, attemptId)),
    rotateCompletion: (change) => engine.run(attempts.rotateCompletion(parts, change)),
    ...transactionMethods(parts),
  };
}

function transactionMethods(parts: SqlParts) {
  const { engine, sql } = parts;
  return {
    openTransaction: (change) => engine.run(transactions.openTransaction(parts, change)),
    findTransaction: (attemptId) =>
      engine.read(withTransaction(parts, one(sql.selectTransaction, { attempt_id: attemptId }))),
    findByState: (stateDigest) => {
      const state = { state_digest: stateDigest };
      return engine.read(withTransaction(parts, one(sql.selectTransactionByState, state)));
    },
    bindBrowser: (attemptId, browserDigest, at) =>
      engine.run(transactions.bindBrowser(parts, attemptId, browserDigest, at)),
    replaceSession: (change) => engine.run(transactions.replaceSession(parts, change)),
    spoilAttempt: (attemptId, at) => engine.run(transactions.spoilAttempt(parts, attemptId, at)),
    expirePush: (attemptId, at) => engine.run(transactions.expirePush(parts, attemptId, at)),
    recordApprovalSeen: (attemptId, at) =>
      engine.run(transactions.recordApprovalSeen(parts, attemptId, at)),
    keepTokens: (change) => engine.run(transactions.keepTokens(parts, change)),
    keptPushes: (at) => engine.read(keptPushes(parts, at)),
    dropLateTokens: (at) => engine.run(transactions.dropLateTokens(parts, at)),
  } satisfies Partial<AttemptStore>;
}

function* keptPushes({ sql }: CommandParts, at: Ms): Read<readonly AttemptId[]> {
  const rows = yield* all(sql.selectKeptPushes, { at });
  return rows.map(attemptIdOf);
}

function attemptIdOf(row: SqlRow): AttemptId {
  return new RowReader<TransactionRow>('provider_transactions', row).parsed(
    'attempt_id',
    parseAttemptId,
  );
}

function* pendingAttempts(
  { sql, identities }: CommandParts,
  now: Ms,
  limit: number,
  scope: string,
): Read<readonly AttemptRecord[]> {
  const first_id = firstIdAt(now - ATTEMPT_LIFETIME_MS);
  const of_scope = ofScope(scope);
  const rows = yield* all(sql.selectPendingAttempts, { first_id, at: now, of_scope, limit });
  return rows.map((row) => attemptFromRow(row, identities)).toReversed();
}

/** What a stored scenario of this scope is like. */
const ofScope = (scope: string) => `${scope} %`;

function* newestAttempts(
  { sql, identities }: CommandParts,
  limit: number,
  scope: string,
  before_id: AttemptId,
): Read<readonly AttemptRecord[]> {
  const rows = yield* all(sql.selectNewestAttempts, { before_id, of_scope: ofScope(scope), limit });
  return rows.map((row) => attemptFromRow(row, identities));
}

function* withUser(parts: CommandParts, lookUp: Read<SqlRow | null>): Read<AttemptWithUser | null> {
  const row = yield* lookUp;
  if (row === null) return null;
  const attempt = attemptFromRow(row, parts.identities);
  if (attempt.userId === null) return { attempt, user: null };
  const found = yield* userWith(parts, attempt.userId);
  // People whose key is lost are removed together with all attempts: then this one is gone too.
  return found === null ? null : { attempt, user: found };
}

/** One statement reads both rows, so they are from the same moment. */
function* withTransaction(
  { identities }: CommandParts,
  lookUp: Read<SqlRow | null>,
): Read<AttemptWithTransaction | null> {
  const row = yield* lookUp;
  if (row === null) return null;
  return {
    attempt: attemptFromRow(row, identities),
    transaction: transactionFromRow(row, identities),
  };
}
