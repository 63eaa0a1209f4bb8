export type SqlValue = string | number | null;

/** A row as the driver returns it. The functions in rows/ read it, or refuse it. */
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
