import { bind, type SqlRow, type SqlValue, type Statement } from './statement.ts';

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

type Values<Of> = { readonly [Name in keyof Of]: SqlValue };

/** The row with this key, or null. */
export function* one<Of extends Values<Of>>(
  statement: Statement<Of>,
  values: Of,
): Read<SqlRow | null> {
  const [row] = yield { name: statement.name, values: bind(statement, values), isByKey: true };
  return row ?? null;
}

export function* all<Of extends Values<Of>>(
  statement: Statement<Of>,
  values: Of,
): Read<readonly SqlRow[]> {
  return yield { name: statement.name, values: bind(statement, values), isByKey: false };
}
