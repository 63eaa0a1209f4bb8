import {
  parseApiTokenId,
  type ApiTokenId,
  type ApiTokenRecord,
} from '../../../account/api-token.ts';
import { parseAttemptId } from '../../../values/ids.ts';
import { parseDigest } from '../../../values/secret.ts';
import { parseUserId } from '../../../account/user.ts';
import type { ApiTokenRow } from '../schema.ts';
import type { SqlRow } from '../statement.ts';
import { RowReader } from './row-reader.ts';

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

export function tokenIdFromRow(row: SqlRow): ApiTokenId {
  return new RowReader<ApiTokenRow>('api_tokens', row).parsed('token_id', parseApiTokenId);
}

/** What a token takes from the attempt that it is issued for. */
export function issueFromRow(row: SqlRow): Pick<ApiTokenRecord, 'attemptId' | 'userId' | 'client'> {
  const read = new RowReader<ApiTokenRow>('api_tokens', row);
  return {
    attemptId: read.parsed('attempt_id', parseAttemptId),
    userId: read.id('user_id', parseUserId),
    client: read.text('client'),
  };
}
