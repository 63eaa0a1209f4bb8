export type SqlValue = string | number | null;

/** A row as the driver gives it: rows.ts turns it into a domain type, or refuses it. */
export type SqlRow = Readonly<Record<string, unknown>>;

/** SQL that was compiled ahead, and the names of its values in the order of its placeholders. */
export interface Statement<Values> {
  readonly name: string;
  readonly parameters: readonly (keyof Values & string)[];
  readonly sql: string;
}

/** One statement of a unit, ready to run. */
export interface Step {
  readonly statement: string;
  readonly values: readonly SqlValue[];
  /** When this statement returns no row, the steps after it are left out. */
  readonly stopWhenEmpty: boolean;
}

/** Steps that happen together or not at all, with no decision of ours between them. */
export type Unit = readonly Step[];

export interface StepResult {
  readonly rows: readonly SqlRow[];
  /** Rows written by a statement that returns none. */
  readonly changes: number;
}

type Bindable<Values> = { readonly [Name in keyof Values]: SqlValue };

export function step<Values extends Bindable<Values>>(
  statement: Statement<Values>,
  values: Values,
): Step {
  return { statement: statement.name, values: bind(statement, values), stopWhenEmpty: false };
}

/** A guarded statement: its returned row is the proof that the guard held. */
export function guard<Values extends Bindable<Values>>(
  statement: Statement<Values>,
  values: Values,
): Step {
  return { ...step(statement, values), stopWhenEmpty: true };
}

export function bind<Values extends Bindable<Values>>(
  { parameters }: Statement<Values>,
  values: Values,
): SqlValue[] {
  return parameters.map((name) => values[name]);
}
