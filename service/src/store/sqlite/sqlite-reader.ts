import { DatabaseSync, type StatementSync } from 'node:sqlite';
import { bind, type SqlRow, type SqlValue, type Statement } from '../statement.ts';

const BEGIN = { name: 'begin', sql: 'BEGIN' };
const COMMIT = { name: 'commit', sql: 'COMMIT' };

/**
 * Reads on the main thread. In write-ahead-log mode a reader waits for nobody and sees the last
 * commit, so a look-up costs microseconds, less than asking another thread for it.
 *
 * Half of those are for the locks that a read takes and gives back. Requests that are handled
 * together also read together, so the reads of one moment share a transaction: from the second one
 * on, until the microtasks that wait with it have run. Our own writes are answered by a message from
 * the writing thread, which comes after all microtasks: no answer can come in between, and whoever
 * has one reads in a later transaction, which sees the write.
 */
export class SqliteReader {
  readonly #database: DatabaseSync;
  readonly #prepared = new Map<string, StatementSync>();
  #reads = 0;

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
    this.#beginRead();
    return this.#prepare(statement).get(...bind(statement, values)) ?? null;
  }

  all<Values extends Record<keyof Values, SqlValue>>(
    statement: Statement<Values>,
    values: Values,
  ): readonly SqlRow[] {
    this.#beginRead();
    return this.#prepare(statement).all(...bind(statement, values));
  }

  close(): void {
    if (this.isOpen) this.#database.close();
  }

  /** The first read of a moment is as a rule the only one. */
  #beginRead(): void {
    this.#reads += 1;
    if (this.#reads === 1) queueMicrotask(() => this.#endReads());
    else if (this.#reads === 2) this.#prepare(BEGIN).run();
  }

  #endReads(): void {
    this.#reads = 0;
    // Some errors have ended it themselves.
    if (this.isOpen && this.#database.isTransaction) this.#prepare(COMMIT).run();
  }

  #prepare({ name, sql }: { readonly name: string; readonly sql: string }): StatementSync {
    const known = this.#prepared.get(name);
    if (known !== undefined) return known;
    const statement = this.#database.prepare(sql);
    this.#prepared.set(name, statement);
    return statement;
  }
}
