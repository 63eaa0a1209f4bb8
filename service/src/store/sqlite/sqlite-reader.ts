import { DatabaseSync, type StatementSync } from 'node:sqlite';
import { bind, type SqlRow, type SqlValue, type Statement } from '../statement.ts';

/**
 * Reads on the main thread. In write-ahead-log mode a reader waits for nobody and sees the last
 * commit, so a look-up costs microseconds, less than asking another thread for it.
 */
export class SqliteReader {
  readonly #database: DatabaseSync;
  readonly #prepared = new Map<string, StatementSync>();

  constructor(file: string) {
    this.#database = new DatabaseSync(file, { readOnly: true });
  }

  get isOpen(): boolean {
    return this.#database.isOpen;
  }

  get<Values extends Record<keyof Values, SqlValue>>(
    statement: Statement<Values>,
    values: Values,
  ): SqlRow | null {
    return this.#prepare(statement).get(...bind(statement, values)) ?? null;
  }

  all<Values extends Record<keyof Values, SqlValue>>(
    statement: Statement<Values>,
    values: Values,
  ): readonly SqlRow[] {
    return this.#prepare(statement).all(...bind(statement, values));
  }

  close(): void {
    if (this.isOpen) this.#database.close();
  }

  #prepare({ name, sql }: { readonly name: string; readonly sql: string }): StatementSync {
    const known = this.#prepared.get(name);
    if (known !== undefined) return known;
    const statement = this.#database.prepare(sql);
    this.#prepared.set(name, statement);
    return statement;
  }
}
