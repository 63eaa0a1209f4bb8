/** A member of an answer by its name, as text. The answers of the API are read by name only. */
export type Row = Readonly<Record<string, unknown>>;

export function rowOf(value: unknown): Row {
  return isRow(value) ? value : {};
}

export function rowsOf(value: unknown): readonly Row[] {
  return Array.isArray(value) ? value.map(rowOf) : [];
}

/** Empty for a member that is missing or null. */
export function textOf(row: Row, name: string): string {
  const value = row[name];
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean'
    ? String(value)
    : '';
}

/** The id of the person of an attempt or a prompt, by which the other commands know them; empty for nobody. */
export function personOf(row: Row): string {
  return textOf(rowOf(row['person']), 'id');
}

function isRow(value: unknown): value is Row {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
