import type { ChangeAction, NewAuditRow } from '../../../audit/audit.ts';
import type { Ms } from '../../../values/time.ts';
import type { AuditEntry } from '../audit-entry.ts';
import { auditToRow } from '../rows/audit.ts';
import type { Step } from '../statement.ts';

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
