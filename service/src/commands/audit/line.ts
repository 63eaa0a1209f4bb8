import type { AuditRow } from '../../audit/audit.ts';
import { rowFacts } from '../../audit/row-facts.ts';
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
  const { sequence, at, action } = row;
  const about = rowFacts(row).map((fact) => withoutControls(fact));
  return `${String(sequence).padStart(6)}  ${isoTimestamp(at)}  ${action.padEnd(26)} ${about.join(' ')}`;
}
