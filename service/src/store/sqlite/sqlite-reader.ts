import { DatabaseSync, type StatementSync } from 'node:sqlite';
import type { Read, Select, SqlRow } from '../sql/statement.ts';
import { PreparedStatements, readAtOnce } from './prepared-statements.ts';
import { faultOf } from './sql-fault.ts';

/**
 * Reads on the main thread. In write-ahead-log mode a reader never waits and sees the last commit,
 * so a look-up takes microseconds, less than a message to another thread.
 *
 * Half of that time is for taking and releasing locks. Requests that are handled together also read
 * together, so their reads share a transaction: from the second read on, until the pending
 * microtasks have run. The result of our own write arrives as a message from the writing thread,
 * after all microtasks. So no result can arrive during the transaction, and a caller who has one
 * reads in a later transaction, which sees the write.
 */
export class SqliteReader {
  readonly #database: DatabaseSync;
  readonly #begin: StatementSync;
  readonly #commit: StatementSync;
  readonly #onStuck: (reason: string) => void;
  readonly #statements: PreparedStatements;
  #reads = 0;

  /**
   * @param statements the SQL of each statement, by its name
   * @param onStuck is told that a shared transaction could not be ended. Later reads would not see
   *   later writes, so the store can't be used any more.
   */
  constructor(
    file: string,
    statements: Readonly<Record<string, string>>,
    onStuck: (reason: string) => void,
  ) {
    this.#database = new DatabaseSync(file, { readOnly: true });
    this.#statements = new PreparedStatements(this.#database, statements);
    this.#begin = this.#database.prepare('BEGIN');
    this.#commit = this.#database.prepare('COMMIT');
    this.#onStuck = onStuck;
  }

  get isOpen(): boolean {
    return this.#database.isOpen;
  }

  read<Result>(read: Read<Result>): Result {
    return readAtOnce(read, (select) => this.#rowsOf(select));
  }

  close(): void {
    if (this.isOpen) this.#database.close();
  }

  /** The first read is usually the only one, so it needs no transaction. */
  #beginRead(): void {
    this.#reads += 1;
    if (this.#reads === 1) queueMicrotask(() => this.#endReads());
    else if (this.#reads === 2) this.#begin.run();
  }

  /** Runs as a microtask, so nobody could catch an error. */
  #endReads(): void {
    this.#reads = 0;
    // Some errors end the transaction themselves.
    if (!this.isOpen || !this.#database.isTransaction) return;
    try {
      this.#commit.run();
    } catch (error) {
      this.#onStuck(faultOf(error).message);
    }
  }

  #rowsOf(select: Select): readonly SqlRow[] {
    this.#beginRead();
    return this.#statements.rowsOf(select);
  }
}
