import { parseAttemptId } from '../../../values/ids.ts';
import type { SealContext } from '../../../platform/keys/vault.port.ts';
import { digestOf, type Digest } from '../../../values/secret.ts';
import type { FoundOpenid, OpenidName, OpenidRecord } from '../../ports/openid.port.ts';
import type { Identities } from '../identities.ts';
import type { OpenidRecordRow } from '../schema.ts';
import type { SqlRow } from '../statement.ts';
import { RowReader } from './row-reader.ts';

/** The ids are long and random, so nobody finds one from its digest. */
export function recordDigest({ model, id }: OpenidName): Digest {
  return digestOf('openid', `record ${model} ${id}`);
}

export function grantDigest(grant: string): Digest {
  return digestOf('openid', `grant ${grant}`);
}

export function handleDigest(model: string, handle: string): Digest {
  return digestOf('openid', `handle ${model} ${handle}`);
}

const bodyOf = (row: string): SealContext => ({ table: 'openid_records', row, column: 'body' });

export function openidToRow(record: OpenidRecord, identities: Identities): OpenidRecordRow {
  const { model, grant, handle } = record;
  const digest = recordDigest(record);
  return {
    record_digest: digest,
    model,
    body: identities.write(bodyOf(digest), record.body),
    vault_key: identities.currentKey,
    grant_digest: grant === null ? null : grantDigest(grant),
    handle_digest: handle === null ? null : handleDigest(model, handle),
    subject: record.subject,
    client: record.client,
    attempt_id: null,
    expires_at: record.expiresAt,
    consumed_at: null,
  };
}

export function openidFromRow(row: SqlRow, identities: Identities): FoundOpenid {
  const read = new RowReader<OpenidRecordRow>('openid_records', row);
  return {
    body: identities.read(bodyOf(read.text('record_digest')), read.text('body')),
    attemptId: read.parsedOrNull('attempt_id', parseAttemptId),
    expiresAt: read.integerOrNull('expires_at'),
    consumedAt: read.integerOrNull('consumed_at'),
  };
}

/** The row sealed anew, and the text that it has now. */
export function resealedOpenid(row: SqlRow, identities: Identities) {
  const read = new RowReader<OpenidRecordRow>('openid_records', row);
  const [record_digest, sealed_before] = [read.text('record_digest'), read.text('body')];
  const body = identities.read(bodyOf(record_digest), sealed_before);
  return {
    record_digest,
    sealed_before,
    body: identities.write(bodyOf(record_digest), body),
    vault_key: identities.currentKey,
  };
}

export function subjectFromRow(row: SqlRow): string {
  return new RowReader<{ readonly subject: string }>('users', row).text('subject');
}
