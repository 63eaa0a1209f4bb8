import type { AttemptRecord } from '../../../attempt/attempt.ts';
import type { KeptToken, ProviderTransaction } from '../../../attempt/provider-transaction.ts';
import type { ErrorCode } from '../../../errors/catalogue.ts';
import type { SealContext } from '../../../platform/keys/vault.port.ts';
import { type AttemptId, parseAttemptId } from '../../../values/ids.ts';
import { type Digest, parseDigest } from '../../../values/secret.ts';
import type { Ms } from '../../../values/time.ts';
import type {
  AttemptStore,
  AttemptWithTransaction,
  KeepTokens,
  OpenTransaction,
  ProviderSession,
  ReplaceSession,
} from '../../ports/store.port.ts';
import { entryAbout } from '../audit-rows.ts';
import type { CommandParts, SqlParts } from '../engine.ts';
import { eraseOf, type Identities } from '../identities.ts';
import type { TransactionRow } from '../schema.ts';
import {
  all,
  attemptName,
  type Command,
  guard,
  one,
  type Read,
  RowReader,
  type SqlRow,
  step,
  type Step,
} from '../statement.ts';
import { attemptFromRow } from './attempts.ts';
import { beginFor } from './openid-rows.ts';
import { tellingEnd } from './telling.ts';

/** What happens between an attempt and the provider. */
export function transactionStore(parts: SqlParts) {
  const { engine, sql } = parts;
  return {
    openTransaction: (change) => engine.run(openTransaction(parts, change)),
    findTransaction: (attemptId) =>
      engine.read(withTransaction(parts, one(sql.selectTransaction, { attempt_id: attemptId }))),
    findByState: (stateDigest) => {
      const state = { state_digest: stateDigest };
      return engine.read(withTransaction(parts, one(sql.selectTransactionByState, state)));
    },
    bindBrowser: (attemptId, browserDigest, at) =>
      engine.run(bindBrowser(parts, attemptId, browserDigest, at)),
    replaceSession: (change) => engine.run(replaceSession(parts, change)),
    spoilAttempt: (attemptId, at) => engine.run(spoilAttempt(parts, attemptId, at)),
    expirePush: (attemptId, at) => engine.run(expirePush(parts, attemptId, at)),
    recordApprovalSeen: (attemptId, at) => engine.run(recordApprovalSeen(parts, attemptId, at)),
    keepTokens: (change) => engine.run(keepTokens(parts, change)),
    keptPushes: (at) => engine.read(keptPushes(parts, at)),
    dropLateTokens: (at) => engine.run(dropLateTokens(parts, at)),
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

/** What happens between an attempt and the provider. */

function openTransaction(
  parts: CommandParts,
  { attemptId, at, transaction, bindingCode, providerExpiresAt, begunFor }: OpenTransaction,
): Command<AttemptRecord | null> {
  const { sql, identities } = parts;
  const { steps, touches } = beginFor(parts, attemptId, begunFor);
  const row = transactionToRow(attemptId, transaction, identities);
  const opened = step(sql.markOpened, {
    attempt_id: attemptId,
    binding_code: bindingCode,
    provider_expires_at: providerExpiresAt,
  });
  return {
    steps: [...steps, guard(sql.insertTransaction, { ...row, at }), opened],
    audit: [],
    touches: [attemptName(attemptId), ...touches],
    decode: (results) => {
      const attempt = results.row(opened);
      return attempt === null ? null : attemptFromRow(attempt, identities);
    },
  };
}

function bindBrowser(
  { sql }: CommandParts,
  attemptId: AttemptId,
  browserDigest: Digest,
  at: Ms,
): Command<boolean> {
  const moment = { attempt_id: attemptId, at };
  return happens(attemptId, guard(sql.bindBrowser, { ...moment, browser_digest: browserDigest }));
}

function replaceSession(
  { sql, identities }: CommandParts,
  { attemptId, at, session, browserDigest }: ReplaceSession,
): Command<boolean> {
  const replace = guard(sql.replaceSession, {
    ...sessionToRow(attemptId, session, identities),
    attempt_id: attemptId,
    browser_digest: browserDigest,
    at,
  });
  return happens(attemptId, replace);
}

/** The attempt's own row changes only if the attempt is already authenticated. */
function spoilAttempt(parts: CommandParts, attemptId: AttemptId, at: Ms): Command<boolean> {
  const { sql, identities } = parts;
  const moment = { attempt_id: attemptId, at };
  const reason = 'callback.browser_mismatch' satisfies ErrorCode;
  const spoil = guard(sql.markSpoiled, moment);
  const attempt = step(sql.selectAttempt, { attempt_id: attemptId });
  const command: Command<boolean> = {
    steps: [
      spoil,
      step(sql.failAuthenticated, { ...moment, reason, erase: eraseOf(identities) }),
      attempt,
    ],
    audit: [entryAbout(attempt, 'attempt.spoiled', at)],
    touches: [attemptName(attemptId)],
    decode: (results) => results.has(spoil),
  };
  return tellingEnd(parts, command, 'attempt.failed', attemptId, at);
}

function expirePush({ sql }: CommandParts, attemptId: AttemptId, at: Ms): Command<boolean> {
  return happens(attemptId, guard(sql.expirePush, { attempt_id: attemptId, at }));
}

function recordApprovalSeen(
  { sql }: CommandParts,
  attemptId: AttemptId,
  at: Ms,
): Command<Ms | null> {
  const record = guard(sql.recordApprovalSeen, { attempt_id: attemptId, at });
  return {
    steps: [record],
    audit: [],
    touches: [attemptName(attemptId)],
    decode: (results) => {
      const row = results.row(record);
      return row === null ? null : approvalSeenFromRow(row);
    },
  };
}

function keepTokens(
  { sql, identities }: CommandParts,
  { attemptId, at, tokens }: KeepTokens,
): Command<boolean> {
  const kept_tokens = keptTokensToRow(attemptId, tokens, identities);
  return happens(attemptId, guard(sql.keepTokens, { attempt_id: attemptId, at, kept_tokens }));
}

function dropLateTokens({ sql }: CommandParts, at: Ms): Command<void> {
  return {
    steps: [step(sql.dropLateTokens, { at })],
    audit: [],
    touches: [],
    decode: () => undefined,
  };
}

/** Gives true if the guard was satisfied. */
function happens(attemptId: AttemptId, change: Step): Command<boolean> {
  return {
    steps: [change],
    audit: [],
    touches: [attemptName(attemptId)],
    decode: (results) => results.has(change),
  };
}

function launchUrlOf(attemptId: string): SealContext {
  return { table: 'provider_transactions', row: attemptId, column: 'launch_url' };
}

function keptTokensOf(attemptId: string): SealContext {
  return { table: 'provider_transactions', row: attemptId, column: 'kept_tokens' };
}

/** `TIME:TOKEN` with spaces between: tokens have neither. Null for none, so that nothing stays. */
function keptTokensToRow(
  attemptId: AttemptId,
  tokens: readonly KeptToken[],
  identities: Identities,
): string | null {
  if (tokens.length === 0) return null;
  const list = tokens.map(({ cameAt, token }) => `${cameAt}:${token}`);
  return identities.write(keptTokensOf(attemptId), list.join(' '));
}

function transactionFromRow(row: SqlRow, identities: Identities): ProviderTransaction {
  const read = new RowReader<TransactionRow>('provider_transactions', row);
  if (read.oneOf('kind', ['redirect', 'push']) === 'push') {
    const completedSeenAt = read.integerOrNull('completed_seen_at');
    const transactionId = read.text('transaction_id');
    return { kind: 'push', transactionId, completedSeenAt, keptTokens: tokensIn(read, identities) };
  }
  const place = launchUrlOf(read.text('attempt_id'));
  return {
    kind: 'redirect',
    launchUrl: read.parsedOrNull('launch_url', (stored) => identities.read(place, stored)),
    stateDigest: read.text('state_digest'),
    nonce: read.text('nonce'),
    browserDigest: read.parsedOrNull('browser_digest', parseDigest),
    spoiledAt: read.integerOrNull('spoiled_at'),
    keptTokens: tokensIn(read, identities),
  };
}

function tokensIn(read: RowReader<TransactionRow>, identities: Identities): readonly KeptToken[] {
  const place = keptTokensOf(read.text('attempt_id'));
  const text = read.parsedOrNull('kept_tokens', (stored) => identities.read(place, stored));
  return (text?.split(' ') ?? []).map((entry) => {
    const [cameAt, token = ''] = entry.split(':', 2);
    return { cameAt: Number(cameAt), token };
  });
}

/** Reads the one column that `recordApprovalSeen` returns. */
function approvalSeenFromRow(row: SqlRow): Ms {
  return new RowReader<TransactionRow>('provider_transactions', row).integer('completed_seen_at');
}

/** The columns that contain a provider's session. */
function sessionToRow(
  attemptId: AttemptId,
  { launchUrl, stateDigest, nonce }: ProviderSession,
  identities: Identities,
) {
  return {
    launch_url: identities.write(launchUrlOf(attemptId), launchUrl),
    state_digest: stateDigest,
    nonce,
  };
}

function transactionToRow(
  attemptId: AttemptId,
  transaction: ProviderTransaction,
  identities: Identities,
): TransactionRow {
  const none = {
    attempt_id: attemptId,
    kind: transaction.kind,
    launch_url: null,
    state_digest: null,
    nonce: null,
    browser_digest: null,
    transaction_id: null,
    completed_seen_at: null,
    spoiled_at: null,
    kept_tokens: keptTokensToRow(attemptId, transaction.keptTokens, identities),
  };
  if (transaction.kind === 'push') {
    const { transactionId, completedSeenAt } = transaction;
    return { ...none, transaction_id: transactionId, completed_seen_at: completedSeenAt };
  }
  const { launchUrl, stateDigest, nonce, browserDigest, spoiledAt } = transaction;
  return {
    ...none,
    launch_url: launchUrl === null ? null : identities.write(launchUrlOf(attemptId), launchUrl),
    state_digest: stateDigest,
    nonce,
    browser_digest: browserDigest,
    spoiled_at: spoiledAt,
  };
}
