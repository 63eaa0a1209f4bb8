import { Query, types, type Connection } from 'pg';
import type { SqlRow, SqlValue, StepResult } from '../../sql/statement.ts';

/** Type ids (pg_type.oid). `count` and `sum` return int8 and numeric. */
const TEXT = 25;
const INT8 = 20;
const NUMERIC = 1700;

/** A value of a statement; an array is one value, for `unnest` and `= ANY`. */
export type PostgresValue = SqlValue | readonly SqlValue[];

/** A statement with its values, ready to be sent. */
export interface Call {
  /** It is prepared once on each connection under this name, at most 63 bytes; null: not at all. */
  readonly name: string | null;
  readonly sql: string;
  readonly values: readonly PostgresValue[];
}

export interface Answer extends StepResult {
  /** What the server says that it did, for example `INSERT`, `COMMIT` or `ROLLBACK`. */
  readonly command: string;
}

/** How rows are read. */
interface Columns {
  readonly names: readonly string[];
  readonly parsers: readonly ((text: string) => unknown)[];
  /** A row of nulls, which is copied for each row. */
  readonly empty: SqlRow;
}

const NO_COLUMNS: Columns = { names: [], parsers: [], empty: {} };

/** What one connection has prepared. */
export class PreparedStatements {
  /** By name; null while the columns are not known. */
  readonly columns = new Map<string, Columns | null>();
  /** Names of statements of which nobody knows whether the server has them. */
  readonly doubtful = new Set<string>();
}

interface FieldMessage {
  readonly name: string;
  readonly dataTypeID: number;
}

/**
 * Statements that are sent together and answered together, with one `Sync` behind them: when one of
 * them fails, the server passes over those after it. Outside of a transaction block they are a
 * transaction of their own.
 *
 * The driver sends a `Sync` behind each statement, and the server answers each with a packet of its
 * own. It also asks for the columns of a prepared statement at each use; here that is done once.
 */
export class StatementGroup extends Query {
  readonly #calls: readonly Call[];
  readonly #prepared: PreparedStatements;
  /** The names that this group prepares, at the places of their calls. */
  readonly #parsed = new Map<number, string>();
  /** How the rows of each call are read; null until the server has said it. */
  readonly #columns: (Columns | null)[] = [];
  readonly #answers: Answer[] = [];
  readonly #whole = Promise.withResolvers<readonly Answer[]>();
  #rows: SqlRow[] = [];
  #fault: unknown = null;

  constructor(calls: readonly Call[], prepared: PreparedStatements) {
    super({ text: '' });
    this.#calls = calls;
    this.#prepared = prepared;
  }

  /** Rejects with what the driver says of the first call that failed. */
  get answers(): Promise<readonly Answer[]> {
    return this.#whole.promise;
  }

  /** How many calls were answered. When it is rejected, this is the place of the call that failed. */
  get answered(): number {
    return this.#answers.length;
  }

  // What follows is called by the driver, which looks for these names.

  override submit = (connection: Connection): void => {
    connection.stream.cork();
    try {
      for (const [place, call] of this.#calls.entries()) this.#send(connection, call, place);
      connection.sync();
    } finally {
      connection.stream.uncork();
    }
  };

  handleRowDescription({ fields }: { readonly fields: readonly FieldMessage[] }): void {
    this.#columns[this.answered] = columnsOf(fields);
  }

  handleDataRow({ fields }: { readonly fields: readonly (string | null)[] }): void {
    try {
      this.#rows.push(rowOf(this.#columns[this.answered] ?? NO_COLUMNS, fields));
    } catch (error) {
      this.#fault ??= error;
    }
  }

  handleCommandComplete({ text }: { readonly text: string }): void {
    const columns = (this.#columns[this.answered] ??= NO_COLUMNS);
    const name = this.#calls[this.answered]?.name ?? null;
    if (name !== null) this.#prepared.columns.set(name, columns);
    this.#answers.push({ rows: this.#rows, ...readTag(text) });
    this.#rows = [];
  }

  // No statement of ours is answered so. The answers behind it would be those of other calls.
  handleEmptyQuery(): void {
    this.#fault ??= new Error('a statement was answered with nothing');
  }

  handlePortalSuspended(): void {
    this.#fault ??= new Error('a statement was answered in part');
  }

  handleReadyForQuery(): void {
    if (this.answered !== this.#calls.length) {
      this.#fault ??= new Error(`${this.answered} answers to ${this.#calls.length} statements`);
    }
    if (this.#fault === null) this.#whole.resolve(this.#answers);
    else this.#whole.reject(this.#fault);
  }

  handleError(error: unknown): void {
    for (const [place, name] of this.#parsed) if (place >= this.answered) this.#forget(name);
    this.#whole.reject(error);
  }

  #send(connection: Connection, { name, sql, values }: Call, place: number): void {
    const statement = name ?? '';
    const isPrepared = name !== null && this.#prepared.columns.has(name);
    if (!isPrepared) this.#parse(connection, name, sql, place);
    connection.bind({ statement, values: values.map((value) => textOf(value)) }, false);
    const columns = this.#prepared.columns.get(statement) ?? null;
    if (columns === null) connection.describe({ type: 'P' }, false);
    connection.execute(null, false);
    this.#columns.push(columns);
  }

  #parse(connection: Connection, name: string | null, sql: string, place: number): void {
    // To close a statement that is not there is no error.
    if (name !== null && this.#prepared.doubtful.delete(name)) {
      connection.close({ type: 'S', name }, false);
    }
    connection.parse({ name: name ?? '', text: sql, types: [] }, false);
    if (name === null) return;
    this.#parsed.set(place, name);
    this.#prepared.columns.set(name, null);
  }

  /**
   * The failed call was prepared perhaps. What came behind it was not, but neither was it closed: the
   * server may have it from an earlier use that failed.
   */
  #forget(name: string): void {
    this.#prepared.columns.delete(name);
    this.#prepared.doubtful.add(name);
  }
}

function columnsOf(fields: readonly FieldMessage[]): Columns {
  const names = fields.map(({ name }) => name);
  return {
    names,
    parsers: fields.map(({ dataTypeID }) => parserOf(dataTypeID)),
    empty: Object.fromEntries(names.map((name) => [name, null])),
  };
}

function rowOf({ names, parsers, empty }: Columns, fields: readonly (string | null)[]): SqlRow {
  const row: Record<string, unknown> = { ...empty };
  for (let place = 0; place < names.length; place += 1) {
    const text = fields[place] ?? null;
    if (text !== null) row[names[place] ?? ''] = parsers[place]?.(text);
  }
  return row;
}

/** The tag of a command: `COMMIT`, `SELECT 3`, or `INSERT 0 5`. */
function readTag(tag: string): { readonly command: string; readonly changes: number } {
  const words = tag.split(' ');
  return { command: words[0] ?? '', changes: Number(words.length > 1 ? words.at(-1) : 0) };
}

/** The driver's own parsers, but for whole numbers, which it leaves as text. */
export function parserOf(oid: number): (text: string) => unknown {
  if (oid === TEXT) return (text) => text;
  if (oid === INT8 || oid === NUMERIC) return safeInteger;
  const parse: unknown = types.getTypeParser(oid);
  if (typeof parse !== 'function') throw new Error(`the driver has no parser for the type ${oid}`);
  return (text) => {
    const value: unknown = Reflect.apply(parse, null, [text]);
    return value;
  };
}

/** Text that is no safe integer stays text, so that whoever reads the row refuses it. */
function safeInteger(text: string): number | string {
  const number = Number(text);
  return Number.isSafeInteger(number) ? number : text;
}

function textOf(value: PostgresValue): string | null {
  if (value === null || typeof value === 'string') return value;
  return typeof value === 'number' ? String(value) : arrayText(value);
}

/** PostgreSQL's documentation, 8.15.6. */
function arrayText(values: readonly SqlValue[]): string {
  return `{${values.map((value) => elementText(value)).join(',')}}`;
}

function elementText(value: SqlValue): string {
  if (value === null) return 'NULL';
  return typeof value === 'number' ? String(value) : `"${value.replaceAll(/["\\]/g, '\\$&')}"`;
}
