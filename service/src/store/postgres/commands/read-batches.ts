import type { Select, SqlRow } from '../../sql/statement.ts';
import { StatementError } from '../../store-fault.ts';
import { callForAll, callOf, rowsOfEach } from './look-ups.ts';
import type { PostgresPool } from '../connections/postgres-pool.ts';
import { SharedCalls } from './shared-calls.ts';

interface Waiting {
  readonly select: Select;
  readonly resolve: (rows: readonly SqlRow[]) => void;
  readonly reject: (reason: unknown) => void;
}

/** Look-ups by one statement share calls. */
export class ReadBatches {
  readonly #pool: PostgresPool;
  /** By the names of the statements. */
  readonly #calls = new Map<string, SharedCalls<Waiting>>();

  constructor(pool: PostgresPool) {
    this.#pool = pool;
  }

  /** @throws Refusal, StatementError by rejection */
  async rowsOf(select: Select): Promise<readonly SqlRow[]> {
    if (!select.isByKey || select.values.length === 0) {
      return (await this.#pool.read(callOf(select))).rows;
    }
    return new Promise((resolve, reject) => {
      this.#callsOf(select.name).add({ select, resolve, reject });
    });
  }

  #callsOf(name: string): SharedCalls<Waiting> {
    const known = this.#calls.get(name);
    if (known !== undefined) return known;
    const calls = new SharedCalls<Waiting>((shared) => this.#read(shared));
    this.#calls.set(name, calls);
    return calls;
  }

  async #read(shared: readonly Waiting[]): Promise<void> {
    try {
      const found = await this.#rowsOfAll(shared.map(({ select }) => select));
      for (const [index, waiting] of shared.entries()) waiting.resolve(found[index] ?? []);
    } catch (error) {
      // One of them asks for something that the database refuses, such as text that is not valid.
      if (error instanceof StatementError && shared.length > 1) await this.#readHalves(shared);
      else for (const waiting of shared) waiting.reject(error);
    }
  }

  async #rowsOfAll(selects: readonly Select[]): Promise<readonly (readonly SqlRow[])[]> {
    const [only] = selects;
    if (only !== undefined && selects.length === 1) {
      return [(await this.#pool.read(callOf(only))).rows];
    }
    const { rows } = await this.#pool.read(callForAll(selects));
    return rowsOfEach(selects.length, rows);
  }

  /** Finds one bad look-up of n with about 2 log n calls, instead of n. */
  async #readHalves(shared: readonly Waiting[]): Promise<void> {
    const middle = Math.ceil(shared.length / 2);
    await this.#read(shared.slice(0, middle));
    await this.#read(shared.slice(middle));
  }
}
