import type { AuditRow } from '../../audit/audit.ts';
import { isoTimestamp } from '../../values/time.ts';
import { jsonWithoutControls, withoutControls } from '../instance/without-controls.ts';
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
  const { actor, reason } = row;
  const about = { attempt: attemptId, user: userId, client, person: personDigest, detail, count };
  // The words of somebody, and so in quotes and last.
  const act = { actor, reason: reason === null ? null : JSON.stringify(reason) };
  const told = Object.entries({ ...about, ...act }).filter(([, value]) => value !== null);
  const words = told.map(([name, value]) => withoutControls(`${name}=${value}`)).join(' ');
  return `${String(sequence).padStart(6)}  ${isoTimestamp(at)}  ${action.padEnd(26)} ${words}`;
}
