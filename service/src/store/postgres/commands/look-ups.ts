import type { Select, SqlRow } from '../../sql/statement.ts';
import { typeOf } from '../../sql/value-types.ts';
import type { Call } from '../connections/connection.ts';
import { statementNamed } from './statement-named.ts';

/** A statement as it is sent by itself. */
export function callOf({ name, values }: Pick<Select, 'name' | 'values'>): Call {
  return { name, sql: statementNamed(name).sql, values };
}

/**
 * Many look-ups by one statement as one call: the values are lists, and each row that is found says
 * by its place for which look-up it was found.
 */
export function callForAll(selects: readonly Select[]): Call {
  const name = selects[0]?.name ?? '';
  const { parameters } = statementNamed(name);
  return {
    name: `${name}:all`,
    sql: sqlForAll(name),
    values: parameters.map((_, index) => selects.map(({ values }) => values[index] ?? null)),
  };
}

/** The rows of each look-up, in the order of the look-ups. */
export function rowsOfEach(count: number, rows: readonly SqlRow[]): (readonly SqlRow[])[] {
  const found: SqlRow[][] = Array.from({ length: count }, () => []);
  for (const row of rows) found[Number(row['place']) - 1]?.push(row);
  return found;
}

const texts = new Map<string, string>();

function sqlForAll(name: string): string {
  const known = texts.get(name);
  if (known !== undefined) return known;
  const { parameters, sql } = statementNamed(name);
  const lists = parameters.map((parameter, index) => `$${index + 1}::${listTypeOf(parameter)}`);
  const columns = parameters.map((_, index) => `v${index + 1}`);
  const one = sql.replaceAll(/\$(\d+)/g, 'given.v$1');
  const text =
    `select given.place, found.* from unnest(${lists.join(', ')}) with ordinality ` +
    `as given(${columns.join(', ')}, place) cross join lateral (${one}) as found`;
  texts.set(name, text);
  return text;
}

function listTypeOf(parameter: string): string {
  return typeOf(parameter) === 'integer' ? 'bigint[]' : 'text[]';
}
