import type { DatabaseSync, StatementSync } from 'node:sqlite';
import type { Statements } from '../sql/queries/index.ts';
import type { Read, Select, SqlRow } from '../sql/statement.ts';

/** The text of each statement, by its name. */
export function textsOf(statements: Statements): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.values(statements).map(({ name, sql }) => [name, sql]));
}

/** The statements of one connection, each prepared when it is first used. */
export class PreparedStatements {
  readonly #database: DatabaseSync;
  readonly #sql: Readonly<Record<string, string>>;
  readonly #prepared = new Map<string, StatementSync>();

  constructor(database: DatabaseSync, sql: Readonly<Record<string, string>>) {
    this.#database = database;
    this.#sql = sql;
  }

  get(name: string): StatementSync {
    const known = this.#prepared.get(name);
    if (known !== undefined) return known;
    const statement = this.#database.prepare(this.#sql[name] ?? '');
    this.#prepared.set(name, statement);
    return statement;
  }

  rowsOf({ name, values, isByKey }: Select): readonly SqlRow[] {
    const statement = this.get(name);
    if (!isByKey) return statement.all(...values);
    const row = statement.get(...values);
    return row === undefined ? [] : [row];
  }
}

/** Runs all statements of a read, one after the other. */
export function readAtOnce<Result>(
  read: Read<Result>,
  rowsOf: (select: Select) => readonly SqlRow[],
): Result {
  let next = read.next();
  while (next.done !== true) next = read.next(rowsOf(next.value));
  return next.value;
}
