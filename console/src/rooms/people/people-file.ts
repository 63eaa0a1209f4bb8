import type { PersonRow } from '@miftah/contract/control';
import { sorted } from '../../parts/lists.ts';

/** Rows of a file, against the people that are there. */
export type Compared = {
  readonly added: readonly PersonRow[];
  readonly changed: readonly PersonRow[];
  readonly same: readonly PersonRow[];
};

/** The text of a people file, which `PEOPLE_FILE` takes too. */
export function fileOf(people: readonly PersonRow[]): string {
  return `${JSON.stringify({ people }, null, 2)}\n`;
}

/**
 * The rows of a people file; null if it is none. What a row has in it is checked by the simulator.
 */
export function rowsOf(json: unknown): readonly PersonRow[] | null {
  if (typeof json !== 'object' || json === null || !('people' in json)) return null;
  const { people } = json;
  if (!Array.isArray(people) || !people.every(hasId)) return null;
  return people;
}

function hasId(row: unknown): row is PersonRow {
  return typeof row === 'object' && row !== null && 'id' in row && typeof row.id === 'string';
}

export function compared(rows: readonly PersonRow[], present: readonly PersonRow[]): Compared {
  const known = new Map(present.map((row) => [row.id, canonical(row)]));
  return {
    added: rows.filter(({ id }) => !known.has(id)),
    changed: rows.filter((row) => known.has(row.id) && known.get(row.id) !== canonical(row)),
    same: rows.filter((row) => known.get(row.id) === canonical(row)),
  };
}

/**
 * In the order in which they can be sent: the new default first, because the one before can't stop
 * being it by itself.
 */
export function inOrder({ added, changed }: Compared): readonly PersonRow[] {
  return sorted(
    [...added, ...changed],
    (one, other) => Number(other.default) - Number(one.default),
  );
}

/** The same text for the same row, whatever the order of its members. */
function canonical(value: unknown): string {
  return JSON.stringify(value, (_, member: unknown) =>
    typeof member === 'object' && member !== null && !Array.isArray(member)
      ? Object.fromEntries(
          sorted(Object.entries(member), ([one], [other]) => (one < other ? -1 : 1)),
        )
      : member,
  );
}
