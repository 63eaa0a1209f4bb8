import type { AuditRow } from '../../audit/audit.ts';
import { isoTimestamp } from '../../values/time.ts';
import { jsonWithoutControls } from '../instance/without-controls.ts';
import { ecsOf } from './ecs.ts';

/** How many rows are read at once. */
export const ROWS_AT_ONCE = 500;

/** In which form a row is printed: text by default. */
export interface Form {
  readonly json?: true;
  readonly ecs?: true;
}

export function lineOf(row: AuditRow, { json, ecs }: Form): string {
  if (ecs === true) return jsonWithoutControls(ecsOf(row));
  return json === true ? jsonWithoutControls(row) : textOf(row);
}

function textOf(row: AuditRow): string {
  const { sequence, at, action, attemptId, userId, client, personDigest, detail, count } = row;
  const named = { attempt: attemptId, user: userId, client, person: personDigest, detail, count };
  const told = Object.entries(named).filter(([, value]) => value !== null);
  const about = told.map(([name, value]) => `${name}=${value}`).join(' ');
  return `${String(sequence).padStart(6)}  ${isoTimestamp(at)}  ${action.padEnd(26)} ${about}`;
}
