import type { Row } from '@miftah/contract/control';
import { folded } from '@miftah/contract/folded';
import { shownState } from '../../state/rows.ts';

/** What the list shows; an empty text means all. */
export type Filter = { readonly state: string; readonly flow: string; readonly text: string };

export const EVERYTHING: Filter = { state: '', flow: '', text: '' };

/** The words that a row shows for its state and the like. */
export type ShownOf = (row: Row) => string;

const searched = new WeakMap<Row, string>();

/** In what a search looks. */
function textOf(row: Row, shownOf: ShownOf): string {
  const known = searched.get(row);
  if (known !== undefined) return known;
  const { id, client, service, reason, state, flow, person } = row;
  const names = [client?.ar, client?.en, service, person?.id, person?.ar, person?.en];
  const text = folded([id, ...names, reason, state, flow, shownOf(row)].join('\n'));
  searched.set(row, text);
  return text;
}

/** The national ids of the invented people, by their ids: a row of the list has none. */
export type Numbers = ReadonlyMap<string, string>;

/**
 * Those of a flow in which the text is found, or whose person has it in the number, whatever their
 * states are.
 */
export function rowsLike(
  rows: readonly Row[],
  { flow, text }: Filter,
  shownOf: ShownOf,
  numbers: Numbers,
): readonly Row[] {
  const wanted = folded(text).trim();
  if (flow === '' && wanted === '') return rows;
  const isOf = ({ person }: Row) =>
    person !== null && numbers.get(person.id)?.includes(wanted) === true;
  return rows.filter(
    (row) =>
      (flow === '' || row.flow === flow) &&
      (wanted === '' || textOf(row, shownOf).includes(wanted) || isOf(row)),
  );
}

/** How many rows each state has, as it is shown. */
export function countsOf(rows: readonly Row[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const state of rows.map(shownState)) counts.set(state, (counts.get(state) ?? 0) + 1);
  return counts;
}
