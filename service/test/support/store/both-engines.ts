import { DatabaseSync } from 'node:sqlite';
import { MOVED_TABLES, selectAllOf } from '../../../src/store/sql/moved-tables.ts';
import { withClient } from '../postgres/connection.ts';

type Rows = Readonly<Record<string, readonly unknown[]>>;

const ENDS = ['audit_head', 'audit_anchor'];

/** Everything in a store that its service lives by, as the same text from both engines. */
export function contentOfFile(file: string): Rows {
  using database = new DatabaseSync(file, { readOnly: true });
  const rows = (sql: string) => database.prepare(sql).all();
  const tables = MOVED_TABLES.map((table) => [table.name, rows(selectAllOf(table))] as const);
  const ends = ENDS.map((name) => [name, rows(`SELECT * FROM ${name}`)] as const);
  return textOf([...tables, ...ends]);
}

export async function contentOfDatabase(url: string): Promise<Rows> {
  return withClient(url, async (client) => {
    const all: (readonly [string, readonly object[]])[] = [];
    const add = async (name: string, sql: string) => {
      all.push([name, (await client.query<Record<string, unknown>>(sql)).rows]);
    };
    for (const table of MOVED_TABLES) await add(table.name, selectAllOf(table));
    for (const name of ENDS) await add(name, `SELECT * FROM ${name}`);
    return textOf(all);
  });
}

/** The driver of the tests gives whole numbers as text. */
function textOf(tables: readonly (readonly [string, readonly object[]])[]): Rows {
  return Object.fromEntries(
    tables.map(([name, rows]) => [name, rows.map((row) => JSON.stringify(row, asText))]),
  );
}

function asText(_name: string, value: unknown): unknown {
  return typeof value === 'number' ? `${value}` : value;
}
