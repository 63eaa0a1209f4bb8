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

export function bind<Values extends Bindable<Values>>(
  { parameters }: Statement<Values>,
  values: Values,
): SqlValue[] {
  return parameters.map((name) => values[name]);
}
