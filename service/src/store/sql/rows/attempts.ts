import { parseAttemptId } from '../../../values/ids.ts';
import type { AttemptRecord } from '../../../attempt/attempt.ts';
import { parseDigest } from '../../../values/secret.ts';
import { isErrorCode } from '../../../errors/catalogue.ts';
import { FLOWS } from '../../../attempt/flow.ts';
import type { RedemptionSeal } from '../../../attempt/redeem/idempotency.ts';
import { LOCALES } from '../../../values/locale.ts';
import { parseNationalId, parseUserId } from '../../../account/user.ts';
import { parseScenario, scenarioText } from '../../../attempt/scenario.ts';
import type { SealContext } from '../../../platform/keys/vault.port.ts';
import type { Identities } from '../identities.ts';
import { RowReader } from './row-reader.ts';
import type { AttemptRow } from '../schema.ts';
import type { SqlRow } from '../statement.ts';

export function attemptFromRow(row: SqlRow, identities: Identities): AttemptRecord {
  const read = new RowReader<AttemptRow>('attempts', row);
  const attemptId = read.parsed('attempt_id', parseAttemptId);
  return {
    attemptId,
    flow: read.oneOf('flow', FLOWS),
    client: read.text('client'),
    tokenDigest: read.parsed('token_digest', parseDigest),
    locale: read.oneOf('locale', LOCALES),
    nationalId: read.parsedOrNull('national_id', (stored) =>
      parseNationalId(identities.read(requestedIdOf(attemptId), stored)),
    ),
    bindingCode: read.textOrNull('binding_code'),
    returnAddress: read.textOrNull('return_address'),
    createdAt: read.integer('created_at'),
    expiresAt: read.integer('expires_at'),
    providerExpiresAt: read.integerOrNull('provider_expires_at'),
    authenticatedAt: read.integerOrNull('authenticated_at'),
    rejectedAt: read.integerOrNull('rejected_at'),
    failedAt: read.integerOrNull('failed_at'),
    redeemedAt: read.integerOrNull('redeemed_at'),
    userId: read.idOrNull('user_id', parseUserId),
    endReason: read.parsedOrNull('end_reason', parseErrorCode),
    completionDigest: read.parsedOrNull('completion_digest', parseDigest),
    completionExpiresAt: read.integerOrNull('completion_expires_at'),
    completionMisses: read.integer('completion_misses'),
    redemption: sealFromRow(read),
    scenario: read.parsedOrNull('scenario', parseScenario),
  };
}

function requestedIdOf(attemptId: string): SealContext {
  return { table: 'attempts', row: attemptId, column: 'national_id' };
}

function sealFromRow(read: RowReader<AttemptRow>): RedemptionSeal | null {
  const salt = read.textOrNull('replay_salt');
  if (salt === null) return null;
  return {
    salt,
    keyDigest: read.parsed('replay_key_digest', parseDigest),
    bodyDigest: read.parsed('replay_body_digest', parseDigest),
    misses: read.integer('replay_misses'),
  };
}

function parseErrorCode(text: string) {
  return isErrorCode(text) ? text : null;
}

export function attemptToRow(record: AttemptRecord, identities: Identities): AttemptRow {
  const { attemptId, nationalId } = record;
  return {
    attempt_id: attemptId,
    flow: record.flow,
    client: record.client,
    token_digest: record.tokenDigest,
    locale: record.locale,
    national_id:
      nationalId === null ? null : identities.write(requestedIdOf(attemptId), nationalId),
    binding_code: record.bindingCode,
    return_address: record.returnAddress,
    created_at: record.createdAt,
    expires_at: record.expiresAt,
    provider_expires_at: record.providerExpiresAt,
    authenticated_at: record.authenticatedAt,
    rejected_at: record.rejectedAt,
    failed_at: record.failedAt,
    redeemed_at: record.redeemedAt,
    user_id: record.userId,
    end_reason: record.endReason,
    completion_digest: record.completionDigest,
    completion_expires_at: record.completionExpiresAt,
    completion_misses: record.completionMisses,
    ...replaySealToRow(record.redemption),
    scenario: record.scenario === null ? null : scenarioText(record.scenario),
  };
}

type SealColumns = Pick<
  AttemptRow,
  'replay_salt' | 'replay_key_digest' | 'replay_body_digest' | 'replay_misses'
>;

export function replaySealToRow(seal: RedemptionSeal | null): SealColumns {
  return {
    replay_salt: seal?.salt ?? null,
    replay_key_digest: seal?.keyDigest ?? null,
    replay_body_digest: seal?.bodyDigest ?? null,
    replay_misses: seal?.misses ?? null,
  };
}
