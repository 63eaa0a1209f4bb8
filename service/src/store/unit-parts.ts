import type { AttemptId } from '../domain/attempt-id.ts';
import type { ChangeAction, NewAuditRow } from '../domain/audit.ts';
import type { Ms } from '../domain/time.ts';
import { auditToRow } from './sql/rows/audit.ts';
import type { Identities } from './sql/identities.ts';
import type { Statements } from './sql/queries/index.ts';
import { step, type Step } from './sql/statement.ts';

/** Steps that several units share. */

export function audit(sql: Statements, row: NewAuditRow): Step {
  return step(sql.appendAudit, auditToRow(row));
}

/** The audit row takes its other values from the attempt's row. */
export function auditAttempt(
  sql: Statements,
  action: ChangeAction,
  attemptId: AttemptId,
  at: Ms,
): Step {
  return step(sql.appendAuditOfAttempt, { attempt_id: attemptId, at, action });
}

/** SQLite has no boolean type. */
export function eraseOf(identities: Identities): number {
  return identities.areSealed ? 1 : 0;
}
