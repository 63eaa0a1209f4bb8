import type { Select } from '../sql/read.ts';
import type { SqlRow } from '../sql/statement.ts';
import { StatementError } from '../store-fault.ts';
import { callForAll, callOf, rowsOfEach } from './look-ups.ts';
import type { PostgresPool } from './postgres-pool.ts';

/** The most look-ups that share a call. */
const MAX_SHARED = 256;
/** The calls of one statement that are under way at once; later look-ups wait and share the next. */
const MAX_UNDER_WAY = 2;

interface Waiting {
  readonly select: Select;
  readonly resolve: (rows: readonly SqlRow[]) => void;
  readonly reject: (reason: unknown) => void;
}

interface Line {
  waiting: Waiting[];
  underWay: number;
}

/**
 * Look-ups by one statement that are asked for in one turn, or while earlier ones are under way, go
 * to the database as one call. One call for each would cost several times as much on both sides.
 */
export class ReadBatches {
  readonly #pool: PostgresPool;
  readonly #lines = new Map<string, Line>();

  constructor(pool: PostgresPool) {
    this.#pool = pool;
  }

  /** @throws Refusal, StatementError by rejection */
  async rowsOf(select: Select): Promise<readonly SqlRow[]> {
    if (!select.isByKey || select.values.length === 0) {
      return (await this.#pool.read(callOf(select))).rows;
    }
    return new Promise((resolve, reject) => {
      const line = this.#lineOf(select.name);
      line.waiting.push({ select, resolve, reject });
      if (line.waiting.length === 1) queueMicrotask(() => this.#send(line));
    });
  }

  #lineOf(name: string): Line {
    const known = this.#lines.get(name);
    if (known !== undefined) return known;
    const line = { waiting: [], underWay: 0 };
    this.#lines.set(name, line);
    return line;
  }

  #send(line: Line): void {
    if (line.underWay === MAX_UNDER_WAY || line.waiting.length === 0) return;
    const shared = line.waiting.splice(0, MAX_SHARED);
    line.underWay += 1;
    void this.#read(shared).finally(() => {
      line.underWay -= 1;
      this.#send(line);
    });
    this.#send(line);
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
