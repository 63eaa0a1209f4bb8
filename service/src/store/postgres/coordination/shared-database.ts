import { Refusal } from '../../../errors/refusal.ts';
import type { StepResult } from '../../sql/statement.ts';
import type { Call, PostgresValue } from '../connections/connection.ts';
import { unavailable } from '../faults.ts';
import type { PostgresPool } from '../connections/postgres-pool.ts';

export type SharedPool = Pick<PostgresPool, 'read' | 'writeUnlogged'>;

/** Rows that one purge deletes at most. */
const MOST_PURGED = 500;

/**
 * The database as the shared state uses it: single statements, no transaction, and no connection
 * held between two of them.
 */
export class SharedDatabase {
  readonly #pool: SharedPool;

  constructor(pool: SharedPool) {
    this.#pool = pool;
  }

  /** @throws Refusal `storage.unavailable`, `server.overloaded`; StatementError */
  read(name: string, sql: string, values: readonly PostgresValue[]): Promise<StepResult> {
    return this.#pool.read({ name: `shared:${name}`, sql, values });
  }

  /**
   * Runs one statement that writes.
   * @throws Refusal `storage.unavailable`, also when it may have been run; `server.overloaded`;
   *   StatementError
   */
  async write(name: string, sql: string, values: readonly PostgresValue[]): Promise<StepResult> {
    try {
      return await this.#pool.writeUnlogged({ name: `shared:${name}`, sql, values });
    } catch (error) {
      throw isOutcomeUnknown(error) ? unavailable(error.message) : error;
    }
  }

  /** Deletes old rows in the background. What it can't delete now, a later purge deletes. */
  purge(call: Call): void {
    void this.#pool.writeUnlogged(call).catch(() => undefined);
  }
}

/**
 * Deletes rows of a table by their age, some at each time: several instances may purge at once, and
 * skip each other's rows.
 */
export function purgeCall(table: string, key: string, time: string, keepSeconds: number): Call {
  return {
    name: `shared:purge ${table}`,
    sql: `DELETE FROM ${table} WHERE ${key} = ANY(ARRAY(
  SELECT ${key} FROM ${table} WHERE ${time} < clock_timestamp() - make_interval(secs => $1)
  ORDER BY ${time} LIMIT ${MOST_PURGED} FOR UPDATE SKIP LOCKED))`,
    values: [keepSeconds],
  };
}

/**
 * Purges a table after every so many new rows. As a purge deletes more rows than are added between
 * two of them, the table does not grow beyond what is young enough to be kept.
 */
export class PurgeByUse {
  readonly #database: SharedDatabase;
  readonly #call: Call;
  #added = 0;

  constructor(database: SharedDatabase, call: Call) {
    this.#database = database;
    this.#call = call;
  }

  /** @param rows that were written, at most */
  note(rows: number): void {
    this.#added += rows;
    if (this.#added < MOST_PURGED / 2) return;
    this.#added = 0;
    this.#database.purge(this.#call);
  }
}

function isOutcomeUnknown(error: unknown): error is Refusal {
  return error instanceof Refusal && error.code === 'storage.outcome_unknown';
}
