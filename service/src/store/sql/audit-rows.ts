import { parseUserId } from '../../account/user.ts';
import { type Act, parseActor } from '../../audit/act.ts';
import type { AuditEnd, AuditLink, StoreFact } from '../../audit/audit-chain.ts';
import {
  anchorProof,
  AUDIT_ACTIONS,
  type AuditAnchor,
  type AuditRow,
  type AuditValue,
  type AuditValues,
  type ChangeAction,
  hashedAct,
  type NewAuditRow,
  parseAuditDetail,
} from '../../audit/audit.ts';
import { parseAttemptId } from '../../values/ids.ts';
import { NO_DIGEST, parseDigest } from '../../values/secret.ts';
import type { Ms } from '../../values/time.ts';
import type { AuditAnchorRow, AuditHeadRow, AuditLogRow, NewAuditColumns } from './schema.ts';
import {
  type AuditEntry,
  type Command,
  RowReader,
  type SqlRow,
  type Step,
  type StepResult,
} from './statement.ts';

/** The columns of the domain's `hashedValues` that every row has, in the same order. */
const ALWAYS_HASHED = [
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

/** All columns that are hashed, in every database. */
export const HASHED_COLUMNS = [
  ...ALWAYS_HASHED,
  'actor',
  'reason',
] as const satisfies readonly (keyof AuditLogRow)[];

/** The values that the hash of a row is made of. */
export function hashedIn(row: Pick<AuditLogRow, (typeof HASHED_COLUMNS)[number]>): AuditValues {
  return [...ALWAYS_HASHED.map((column) => row[column]), ...hashedAct(row)];
}

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
    actor: null,
    reason: null,
  };
}

/** The same command, whose rows say who has asked for it and why. */
export function commandBy<Result>(
  { actor, reason }: Act,
  command: Command<Result>,
): Command<Result> {
  const audit = command.audit.map((one) => ({ ...one, row: { ...one.row, actor, reason } }));
  return { ...command, audit };
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
    actor: read.parsedOrNull('actor', parseActor),
    reason: read.textOrNull('reason'),
  };
}

/** Accepts every value in the row: a value that nobody could have written is found by the chain. */
export function auditLinkFromRow(row: SqlRow): AuditLink {
  const { sequence, previous, hash, actor, reason } = row;
  const act = hashedAct({ actor: linkedValue(actor), reason: linkedValue(reason) });
  const values = [...ALWAYS_HASHED.map((column) => linkedValue(row[column])), ...act];
  return {
    sequence: Number(sequence),
    values,
    previous: String(previous),
    hash: String(hash),
  };
}

/** Stands for bytes and all else that no row has: no text that is written has this character. */
const NO_VALUE = '\0';

function linkedValue(value: unknown): AuditValue {
  return valueOf(value) ?? (value === null || value === undefined ? null : NO_VALUE);
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

/** The rows of a command, with the values that are now known. */
export function completeEntries(
  { audit, steps }: { readonly audit: readonly AuditEntry[]; readonly steps: readonly Step[] },
  results: readonly StepResult[],
): NewAuditColumns[] {
  const resultOf = (step: Step) => results[steps.indexOf(step)];
  return audit.flatMap(({ row, subject, counted, onlyIfAny = false }) => {
    const about = subject === null ? row : { ...row, ...subjectOf(resultOf(subject)?.rows[0]) };
    if (counted === null) return [about];
    const count = resultOf(counted)?.changes ?? 0;
    return count === 0 && onlyIfAny ? [] : [{ ...about, count }];
  });
}

/** @throws Error without a row: an entry about nothing must not be written */
function subjectOf(row: SqlRow | undefined) {
  if (row === undefined) throw new Error('an audit row has no subject');
  return {
    attempt_id: textOf(row['attempt_id']),
    user_id: numberOf(row['user_id']),
    client: textOf(row['client']),
    detail: textOf(row['end_reason']),
  };
}

function textOf(value: unknown): string | null {
  const known = valueOf(value);
  return typeof known === 'string' ? known : null;
}

function numberOf(value: unknown): number | null {
  const known = valueOf(value);
  return typeof known === 'number' ? known : null;
}

/** An entry whose values are all known. */
export function entry(row: NewAuditRow): AuditEntry {
  return { row: auditToRow(row), subject: null, counted: null };
}

/** An entry about the attempt or token whose row the step returns. */
export function entryAbout(subject: Step, action: ChangeAction, at: Ms): AuditEntry {
  return { row: auditToRow({ at, action }), subject, counted: null };
}

/** An entry with the number of rows that the step changes. */
export function entryCounting(counted: Step, row: NewAuditRow): AuditEntry {
  return { row: auditToRow(row), subject: null, counted };
}

/** The sign-ins under way that one command ends together: none of them has a row of its own. */
export function entryOfFailed(
  counted: Step,
  at: Ms,
  owner: Pick<NewAuditRow, 'userId' | 'client'> = {},
): AuditEntry {
  const detail = 'attempt.failed';
  const row = auditToRow({ at, action: 'attempt.failed', detail, ...owner });
  return { row, subject: null, counted, onlyIfAny: true };
}
