import type { SealContext } from '../../../platform/keys/vault.port.ts';
import { type AttemptId, parseAttemptId } from '../../../values/ids.ts';
import { type Digest, digestOf } from '../../../values/secret.ts';
import type {
  BegunFor,
  ConsumeAttempt,
  FoundOpenid,
  KeepForClient,
  OpenidName,
  OpenidOfUser,
  OpenidRecord,
} from '../../ports/store.port.ts';
import type { CommandParts } from '../engine.ts';
import type { Identities } from '../identities.ts';
import type { OpenidRecordRow } from '../schema.ts';
import { guard, type Results, RowReader, type SqlRow, step, type Step } from '../statement.ts';

/** The rows of what the OpenID Provider keeps. */

export const openidName = (digest: string): string => `openid:${digest}`;

/**
 * The ids are long and random, so nobody finds one from its digest. That of a `BirthDate` is the id of
 * its attempt, which others know; but no caller names a record by it.
 */
export function recordDigest({ model, id }: OpenidName): Digest {
  return digestOf('openid', `record ${model} ${id}`);
}

export function grantDigest(grant: string): Digest {
  return digestOf('openid', `grant ${grant}`);
}

export const bodyOf = (row: string): SealContext => ({
  table: 'openid_records',
  row,
  column: 'body',
});

export function openidToRow(record: OpenidRecord, identities: Identities): OpenidRecordRow {
  const { model, grant } = record;
  const digest = recordDigest(record);
  return {
    record_digest: digest,
    model,
    body: identities.write(bodyOf(digest), record.body),
    vault_key: identities.currentKey,
    grant_digest: grant === null ? null : grantDigest(grant),
    subject: record.subject,
    client: record.client,
    attempt_id: record.attemptId,
    expires_at: record.expiresAt,
    consumed_at: null,
    due_at: null,
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

export function openidOfUserFromRow(row: SqlRow, identities: Identities): OpenidOfUser {
  const read = new RowReader<OpenidRecordRow>('openid_records', row);
  const { body, expiresAt } = openidFromRow(row, identities);
  return { model: read.text('model'), client: read.textOrNull('client'), body, expiresAt };
}

/** Without the person, whom `putOpenidOfAttempt` looks up. */
export function firstOfGrant(
  begins: ConsumeAttempt['begins'],
  client: string | null,
  identities: Identities,
): OpenidRecordRow {
  const { body = '{}', id: grant } = begins;
  const rest = { body, grant, subject: null, attemptId: null };
  return openidToRow({ ...begins, ...rest, client }, identities);
}

interface StepsOfRecord {
  readonly steps: readonly Step[];
  readonly touches: readonly string[];
}

interface BegunRecord extends StepsOfRecord {
  readonly isBegun: (results: Results) => boolean;
}

const NO_RECORD: BegunRecord = { steps: [], touches: [], isBegun: () => true };

/** First in the unit of the attempt, which a link that is another one by now ends. */
export function beginFor(
  { sql, identities }: CommandParts,
  attempt_id: AttemptId,
  begunFor: BegunFor | null = null,
): BegunRecord {
  if (begunFor === null) return NO_RECORD;
  if (!('from' in begunFor)) {
    const row = openidToRow({ ...begunFor, grant: null, attemptId: attempt_id }, identities);
    const touches = [openidName(row.record_digest)];
    // Its id was made for it, so it is not there already.
    return { ...NO_RECORD, steps: [step(sql.keepOpenid, row)], touches };
  }
  const record_digest = recordDigest(begunFor);
  const link = guard(sql.linkOpenid, { record_digest, attempt_id, linked: begunFor.from });
  const touches = [openidName(record_digest)];
  return { steps: [link], touches, isBegun: (results) => results.has(link) };
}

/** After the steps that have authenticated the attempt, in the same unit. */
export function keepForClient(
  { sql, identities }: CommandParts,
  attempt_id: AttemptId,
  { record, subject }: KeepForClient,
): StepsOfRecord {
  const rest = { grant: null, subject: null, client: null, attemptId: null };
  const row = openidToRow({ ...record, ...rest }, identities);
  return {
    steps: [
      step(sql.nameSubject, { attempt_id, subject }),
      step(sql.putOpenidOfAttempt, { ...row, attempt_id }),
    ],
    touches: [openidName(row.record_digest)],
  };
}
