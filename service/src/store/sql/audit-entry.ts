import { valueOf, type NewAuditColumns, auditToRow } from './rows/audit.ts';
import type { SqlRow, Step, StepResult } from './statement.ts';
import type { ChangeAction, NewAuditRow } from '../../audit/audit.ts';
import type { Ms } from '../../values/time.ts';

/**
 * An audit row that a command writes. What is not known before the command runs is taken from the
 * results of its steps. Sequence and hashes are added by the engine, at the end of the chain.
 */
export interface AuditEntry {
  readonly row: NewAuditColumns;
  /**
   * The step whose first row is the attempt or the token that the entry is about: it gives
   * `attempt_id`, `user_id`, `client` and, as the detail, `end_reason`. Null if `row` has them.
   */
  readonly subject: Step | null;
  /** The step whose number of changed rows is the count; null if `row` has it. */
  readonly counted: Step | null;
  /** Not written when the count is 0. */
  readonly onlyIfAny?: true;
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
