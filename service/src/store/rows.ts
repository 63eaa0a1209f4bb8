import { parseApiTokenId, type ApiTokenRecord } from '../domain/api-token.ts';
import { parseAttemptId } from '../domain/attempt-id.ts';
import type { AttemptRecord } from '../domain/attempt.ts';
import { parseDigest } from '../domain/digest.ts';
import { isErrorCode } from '../domain/errors/catalogue.ts';
import { FLOWS } from '../domain/flow.ts';
import type { RedemptionSeal } from '../domain/idempotency.ts';
import { LOCALES } from '../domain/locale.ts';
import { parseNationalId } from '../domain/national-id.ts';
import { DOCUMENT_TYPES, GENDERS, parseUserId, type Person, type User } from '../domain/user.ts';
import { RowReader } from './row-reader.ts';
import type { ApiTokenRow, AttemptRow, PersonRow, UserRow } from './schema.ts';
import type { SqlRow } from './statement.ts';

export function attemptFromRow(row: SqlRow): AttemptRecord {
  const read = new RowReader<AttemptRow>('attempts', row);
  return {
    attemptId: read.parsed('attempt_id', parseAttemptId),
    flow: read.oneOf('flow', FLOWS),
    client: read.text('client'),
    tokenDigest: read.parsed('token_digest', parseDigest),
    locale: read.oneOf('locale', LOCALES),
    nationalId: read.parsedOrNull('national_id', parseNationalId),
    bindingCode: read.textOrNull('binding_code'),
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
  };
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

export function attemptToRow(record: AttemptRecord): AttemptRow {
  return {
    attempt_id: record.attemptId,
    flow: record.flow,
    client: record.client,
    token_digest: record.tokenDigest,
    locale: record.locale,
    national_id: record.nationalId,
    binding_code: record.bindingCode,
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
    ...sealToRow(record.redemption),
  };
}

type SealColumns = Pick<
  AttemptRow,
  'replay_salt' | 'replay_key_digest' | 'replay_body_digest' | 'replay_misses'
>;

export function sealToRow(seal: RedemptionSeal | null): SealColumns {
  return {
    replay_salt: seal?.salt ?? null,
    replay_key_digest: seal?.keyDigest ?? null,
    replay_body_digest: seal?.bodyDigest ?? null,
    replay_misses: seal?.misses ?? null,
  };
}

export function userFromRow(row: SqlRow): User {
  const read = new RowReader<UserRow>('users', row);
  return {
    id: read.id('id', parseUserId),
    issuer: read.text('issuer'),
    documentType: read.oneOf('document_type', DOCUMENT_TYPES),
    documentNumber: read.text('document_number'),
    nationalId: read.parsed('national_id', parseNationalId),
    arabicName: read.text('arabic_name'),
    englishName: read.text('english_name'),
    email: read.textOrNull('email'),
    nationality: read.text('nationality'),
    gender: read.oneOf('gender', GENDERS),
    assuranceLevel: read.integer('assurance_level'),
    preferredLocale: read.oneOf('preferred_locale', LOCALES),
    lastAuthMethod: read.oneOf('last_auth_method', FLOWS),
    createdAt: read.integer('created_at'),
    updatedAt: read.integer('updated_at'),
  };
}

export function personToRow(person: Person): PersonRow {
  return {
    issuer: person.issuer,
    document_type: person.documentType,
    document_number: person.documentNumber,
    national_id: person.nationalId,
    arabic_name: person.arabicName,
    english_name: person.englishName,
    email: person.email,
    nationality: person.nationality,
    gender: person.gender,
    assurance_level: person.assuranceLevel,
  };
}

export function apiTokenFromRow(row: SqlRow): ApiTokenRecord {
  const read = new RowReader<ApiTokenRow>('api_tokens', row);
  return {
    tokenId: read.parsed('token_id', parseApiTokenId),
    tokenDigest: read.parsed('token_digest', parseDigest),
    attemptId: read.parsed('attempt_id', parseAttemptId),
    userId: read.id('user_id', parseUserId),
    client: read.text('client'),
    deviceName: read.textOrNull('device_name'),
    createdAt: read.integer('created_at'),
    expiresAt: read.integer('expires_at'),
    revokedAt: read.integerOrNull('revoked_at'),
  };
}
