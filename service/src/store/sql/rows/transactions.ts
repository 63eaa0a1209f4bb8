import type { AttemptId } from '../../../values/ids.ts';
import { parseDigest } from '../../../values/secret.ts';
import type { KeptToken, ProviderTransaction } from '../../../attempt/provider-transaction.ts';
import type { Ms } from '../../../values/time.ts';
import type { ProviderSession } from '../../ports/store.port.ts';
import type { SealContext } from '../../../platform/keys/vault.port.ts';
import type { Identities } from '../identities.ts';
import { RowReader } from './row-reader.ts';
import type { TransactionRow } from '../schema.ts';
import type { SqlRow } from '../statement.ts';

function launchUrlOf(attemptId: string): SealContext {
  return { table: 'provider_transactions', row: attemptId, column: 'launch_url' };
}

function keptTokensOf(attemptId: string): SealContext {
  return { table: 'provider_transactions', row: attemptId, column: 'kept_tokens' };
}

/** `TIME:TOKEN` with spaces between: tokens have neither. Null for none, so that nothing stays. */
export function keptTokensToRow(
  attemptId: AttemptId,
  tokens: readonly KeptToken[],
  identities: Identities,
): string | null {
  if (tokens.length === 0) return null;
  const list = tokens.map(({ cameAt, token }) => `${cameAt}:${token}`);
  return identities.write(keptTokensOf(attemptId), list.join(' '));
}

export function transactionFromRow(row: SqlRow, identities: Identities): ProviderTransaction {
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
export function approvalSeenFromRow(row: SqlRow): Ms {
  return new RowReader<TransactionRow>('provider_transactions', row).integer('completed_seen_at');
}

/** The columns that contain a provider's session. */
export function sessionToRow(
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

export function transactionToRow(
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
