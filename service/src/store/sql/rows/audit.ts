import type { AuditEnd, AuditLink, StoreFact } from '../../../audit/audit-chain.ts';
import {
  anchorProof,
  AUDIT_ACTIONS,
  parseAuditDetail,
  type AuditAnchor,
  type AuditRow,
  type AuditValue,
  type NewAuditRow,
} from '../../../audit/audit.ts';
import { parseAttemptId } from '../../../values/ids.ts';
import { NO_DIGEST, parseDigest } from '../../../values/secret.ts';
import { parseUserId } from '../../../account/user.ts';
import { RowReader } from './row-reader.ts';
import type { AuditAnchorRow, AuditHeadRow, AuditLogRow } from '../schema.ts';
import type { SqlRow } from '../statement.ts';

/** The columns of the domain's `hashedValues`, in the same order, in every database. */
export const HASHED_COLUMNS = [
  'sequence',
  'at',
  'action',
  'attempt_id',
  'user_id',
  'client',
  'person_digest',
  'detail',
  'count',
  'previous',
] as const satisfies readonly (keyof AuditLogRow)[];

/** The columns of a row before it is chained. */
export type NewAuditColumns = Omit<AuditLogRow, 'sequence' | 'previous' | 'hash'>;

export function auditToRow(row: NewAuditRow): NewAuditColumns {
  return {
    at: row.at,
    action: row.action,
    attempt_id: row.attemptId ?? null,
    user_id: row.userId ?? null,
    client: row.client ?? null,
    person_digest: row.personDigest ?? null,
    detail: row.detail ?? null,
    count: row.count ?? null,
  };
}

export function auditFromRow(row: SqlRow): AuditRow {
  const read = new RowReader<AuditLogRow>('audit_log', row);
  return {
    sequence: read.integer('sequence'),
    at: read.integer('at'),
    action: read.oneOf('action', AUDIT_ACTIONS),
    attemptId: read.parsedOrNull('attempt_id', parseAttemptId),
    userId: read.idOrNull('user_id', parseUserId),
    client: read.textOrNull('client'),
    personDigest: read.parsedOrNull('person_digest', parseDigest),
    detail: read.parsedOrNull('detail', parseAuditDetail),
    count: read.integerOrNull('count'),
    previous: read.parsed('previous', parseDigest),
    hash: read.parsed('hash', parseDigest),
  };
}

/** Accepts every value in the row: a value that nobody could have written is found by the chain. */
export function auditLinkFromRow(row: SqlRow): AuditLink {
  const values = HASHED_COLUMNS.map((column) => valueOf(row[column]));
  const { sequence, previous, hash } = row;
  return {
    sequence: Number(sequence),
    values,
    previous: String(previous),
    hash: String(hash),
  };
}

export function valueOf(value: unknown): AuditValue {
  return typeof value === 'string' || typeof value === 'number' ? value : null;
}

/** An anchor, and whether one of the keys proves it. That of a log that was never cut needs none. */
export interface StoredAnchor extends AuditAnchor {
  readonly isProven: boolean;
}

/** Null where there is none. */
export function auditAnchorFromRow(
  row: SqlRow | null,
  keys: readonly Uint8Array[],
): StoredAnchor | null {
  if (row === null) return null;
  const read = new RowReader<AuditAnchorRow>('audit_anchor', row);
  const count = read.integer('sequence');
  const at = read.integer('at');
  const hash = parseDigest(read.text('hash'));
  if (hash === null) return null;
  const anchor = { count, hash, at };
  const isUncut = count === 0 && hash === NO_DIGEST;
  const proof = read.text('proof');
  return { ...anchor, isProven: isUncut || keys.some((key) => anchorProof(key, anchor) === proof) };
}

export function auditEndFromRow(row: SqlRow | null): AuditEnd {
  if (row === null) return { head: null, last: 0 };
  const read = new RowReader<AuditHeadRow & { readonly last: number | null }>('audit_head', row);
  const head = { count: read.integer('sequence'), hash: read.text('hash') };
  return { head, last: read.integerOrNull('last') ?? 0 };
}

const KINDS = ['token', 'attempt', 'user'] as const satisfies readonly StoreFact['kind'][];
const FAULTS = ['unlogged', 'undone'] as const;

/** What the check of the log against the store has found. */
export function contradictionFromRow(row: SqlRow) {
  const read = new RowReader<Record<'fault' | keyof StoreFact, string>>('the audit check', row);
  const fact = {
    kind: read.oneOf('kind', KINDS),
    id: read.text('id'),
    action: read.oneOf('action', AUDIT_ACTIONS),
  };
  return { ok: false, fault: read.oneOf('fault', FAULTS), fact } as const;
}
