import type { AttemptId } from '../domain/attempt-id.ts';
import type { ChangeAction } from '../domain/audit.ts';
import type { Ms } from '../domain/time.ts';
import { auditToRow, type NewAuditRow } from './audit-rows.ts';
import type { Identities } from './identities.ts';
import type { Statements } from './queries/index.ts';
import { step, type Step } from './statement.ts';

/** What several units have in common. */

export function audit(sql: Statements, row: NewAuditRow): Step {
  return step(sql.appendAudit, auditToRow(row));
}

/** What else there is to say is in the attempt's own row. */
export function auditAttempt(
  sql: Statements,
  action: ChangeAction,
  attemptId: AttemptId,
  at: Ms,
): Step {
  return step(sql.appendAuditOfAttempt, { attempt_id: attemptId, at, action });
}

/** SQL has no truth values. */
export function eraseOf(identities: Identities): number {
  return identities.areSealed ? 1 : 0;
}
