import type { NewAuditColumns } from './schema.ts';

export type SqlValue = string | number | null;

/** A row as the driver returns it. `RowReader` reads it, or refuses it. */
export type SqlRow = Readonly<Record<string, unknown>>;

/**
 * SQL that was compiled in advance for one database, and the names of its values in the order of
 * their placeholders.
 */
export interface Statement<Values> {
  readonly name: string;
  readonly parameters: readonly (keyof Values & string)[];
  readonly sql: string;
}

/** One statement of a command, ready to run. */
export interface Step {
  readonly statement: string;
  readonly values: readonly SqlValue[];
  /** If this statement returns no row, nothing that comes after it in the command happens. */
  readonly stopWhenEmpty: boolean;
}

export interface StepResult {
  readonly rows: readonly SqlRow[];
  /** The number of rows that were written, for a statement that returns none. */
  readonly changes: number;
}

type Bindable<Values> = { readonly [Name in keyof Values]: SqlValue };

export function step<Values extends Bindable<Values>>(
  statement: Statement<Values>,
  values: Values,
): Step {
  return { statement: statement.name, values: bind(statement, values), stopWhenEmpty: false };
}

/** A guarded statement: if it returns a row, its guard was satisfied. */
export function guard<Values extends Bindable<Values>>(
  statement: Statement<Values>,
  values: Values,
): Step {
  return { statement: statement.name, values: bind(statement, values), stopWhenEmpty: true };
}

function bind<Values extends Bindable<Values>>(
  { parameters }: Statement<Values>,
  values: Values,
): SqlValue[] {
  return parameters.map((name) => values[name]);
}

/** One statement that reads, ready to run. */
export interface Select {
  readonly name: string;
  readonly values: readonly SqlValue[];
  /** The statement finds at most one row, by a key. */
  readonly isByKey: boolean;
}

/**
 * A read of one or more statements, where a later statement may depend on the rows of an earlier
 * one. It yields each statement and is given its rows, so that the same function reads from an
 * engine that answers at once and from one that answers later.
 */
export type Read<Result> = Generator<Select, Result, readonly SqlRow[]>;

/** Runs a read on an engine that answers later. */
export async function runRead<Result>(
  read: Read<Result>,
  rowsOf: (select: Select) => Promise<readonly SqlRow[]>,
): Promise<Result> {
  let next = read.next();
  while (next.done !== true) next = read.next(await rowsOf(next.value));
  return next.value;
}

/** The row with this key, or null. */
export function* one<Of extends Bindable<Of>>(
  statement: Statement<Of>,
  values: Of,
): Read<SqlRow | null> {
  const [row] = yield { name: statement.name, values: bind(statement, values), isByKey: true };
  return row ?? null;
}

export function* all<Of extends Bindable<Of>>(
  statement: Statement<Of>,
  values: Of,
): Read<readonly SqlRow[]> {
  return yield { name: statement.name, values: bind(statement, values), isByKey: false };
}

/**
 * Steps that all happen or none, and the audit rows that are written with them. No step needs a
 * decision of the program after the one before it, so an engine gets all of them at once.
 */
export interface Unit {
  readonly steps: readonly Step[];
  /** Written after the last step, and only if every guard was satisfied. */
  readonly audit: readonly AuditEntry[];
}

/**
 * An audit row that a command writes. What is not known before the command runs is taken from the
 * results of its steps. Sequence and hashes are added by the engine, at the end of the chain.
 */
export interface AuditEntry {
  readonly row: NewAuditColumns;
  /**
   * The step whose first row is the attempt or the token that the entry is about: it gives
   * `attempt_id`, `user_id`, `client` and, as the detail, `end_reason`. Null if `row` has them.
   */
  readonly subject: Step | null;
  /** The step whose number of changed rows is the count; null if `row` has it. */
  readonly counted: Step | null;
  /** Not written when the count is 0. */
  readonly onlyIfAny?: true;
}

/**
 * What a command reads and changes, as names. An engine with several writers runs two commands one
 * after the other if they have a name in common, or if one of them touches everything. SQLite has
 * one writer and ignores this.
 */
export type Touched = 'everything' | readonly string[];

/** A write: what has to happen, and how its result is read from the rows of the steps. */
export interface Command<Result> extends Unit {
  readonly touches: Touched;
  /** It may wait for the next commit of others, a moment at most (patience.ts). */
  readonly isPatient?: true;
  readonly decode: (results: Results) => Result;
}

/** The results of the steps that ran. */
export class Results {
  readonly #steps: readonly Step[];
  readonly #results: readonly StepResult[];

  constructor(steps: readonly Step[], results: readonly StepResult[]) {
    this.#steps = steps;
    this.#results = results;
  }

  /** The first row that the step returned; null if it returned none or did not run. */
  row(of: Step): SqlRow | null {
    return this.rows(of)[0] ?? null;
  }

  rows(of: Step): readonly SqlRow[] {
    return this.#of(of)?.rows ?? [];
  }

  has(of: Step): boolean {
    return this.row(of) !== null;
  }

  /** The number of rows that the step wrote, for a statement that returns none. */
  changes(of: Step): number {
    return this.#of(of)?.changes ?? 0;
  }

  #of(which: Step): StepResult | undefined {
    return this.#results[this.#steps.indexOf(which)];
  }
}

export const attemptName = (attemptId: string): string => `attempt:${attemptId}`;
export const tokenName = (tokenId: string): string => `token:${tokenId}`;
const PERSON = 'person:';
export const personName = (identityDigest: string): string => `${PERSON}${identityDigest}`;
/**
 * Whether two commands that both touch this may share a transaction. Only completions touch a
 * person, and their steps stand in the same order, so the later one is still written last.
 */
export const mayShareBatch = (name: string): boolean => name.startsWith(PERSON);
/** One name for all budgets: the quota of the service counts every push. */
export const BUDGETS = 'budgets';

/**
 * Reads the values of a row and checks each one. A row that no version of this program wrote causes
 * an error instead of a guess. The error names the column but not the value, which may be an
 * identity.
 */
export class RowReader<Row extends object> {
  readonly #table: string;
  readonly #row: SqlRow;

  constructor(table: string, row: SqlRow) {
    this.#table = table;
    this.#row = row;
  }

  text(column: keyof Row & string): string {
    const value = this.#row[column];
    return typeof value === 'string' ? value : this.#refuse(column);
  }

  textOrNull(column: keyof Row & string): string | null {
    return this.#isNull(column) ? null : this.text(column);
  }

  integer(column: keyof Row & string): number {
    const value = this.#row[column];
    return Number.isSafeInteger(value) ? Number(value) : this.#refuse(column);
  }

  integerOrNull(column: keyof Row & string): number | null {
    return this.#isNull(column) ? null : this.integer(column);
  }

  parsed<Value>(column: keyof Row & string, parse: (text: string) => Value | null): Value {
    return this.accepted(column, parse(this.text(column)));
  }

  parsedOrNull<Value>(
    column: keyof Row & string,
    parse: (text: string) => Value | null,
  ): Value | null {
    return this.#isNull(column) ? null : this.parsed(column, parse);
  }

  /** The parsed value of a column. @throws Error when it could not be parsed (null) */
  accepted<Value>(column: keyof Row & string, value: Value | null): Value {
    return value ?? this.#refuse(column);
  }

  oneOf<Value extends string>(column: keyof Row & string, allowed: readonly Value[]): Value {
    const text = this.text(column);
    return allowed.find((value) => value === text) ?? this.#refuse(column);
  }

  id<Id extends number>(column: keyof Row & string, parse: (value: number) => Id | null): Id {
    return parse(this.integer(column)) ?? this.#refuse(column);
  }

  idOrNull<Id extends number>(
    column: keyof Row & string,
    parse: (value: number) => Id | null,
  ): Id | null {
    return this.#isNull(column) ? null : this.id(column, parse);
  }

  #isNull(column: string): boolean {
    return this.#row[column] === null;
  }

  #refuse(column: string): never {
    throw new Error(`a row of ${this.#table} has no valid ${column}`);
  }
}
