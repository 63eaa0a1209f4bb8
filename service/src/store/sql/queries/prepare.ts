import { sql, type Compilable, type Kysely, type RawBuilder } from 'kysely';
import type { Tables } from '../schema.ts';
import type { Statement } from '../statement.ts';
import { typeOf, type IntegerName, type ValueType } from '../value-types.ts';

/** Stands in a query for a value that is given when the statement runs. */
class Placeholder {
  readonly name: string;

  constructor(name: string) {
    this.name = name;
  }
}

/** A name with a value of its type: a number exactly for the integers. */
type NameOf<Values> = {
  [Name in keyof Values & string]: number extends Values[Name]
    ? Name extends IntegerName
      ? Name
      : never
    : Name extends IntegerName
      ? never
      : Name;
}[keyof Values & string];

export type Bind<Values> = <Name extends NameOf<Values>>(name: Name) => RawBuilder<Values[Name]>;

export type Queries = Kysely<Tables>;
export type Prepared<Values> = Omit<Statement<Values>, 'name'>;

/** What two databases say in different words. */
export interface Dialect {
  /** Builds and type-checks queries without a connection. */
  readonly db: Queries;
  /** Whether queries are compiled for many changes at once, with a table `given` of their values. */
  readonly isForSets: boolean;
  /** The table `given`, with a column `v_name` for each of the names. */
  givenTable(names: readonly string[]): string;
  /** Whether a query can pass over rows that another writer has locked. */
  readonly skipsLocked: boolean;
  /** The function that gives the smallest of its arguments. */
  readonly least: string;
  /** A value with its type, where the database needs to be told. */
  typed<Value>(placeholder: RawBuilder<Value>, type: ValueType): RawBuilder<Value>;
  /** The elements of a JSON list as a table `item` with the column `value`. */
  elementsOf(json: RawBuilder<string>): RawBuilder<unknown>;
  /** The same for a list of texts. */
  textsOf(json: RawBuilder<string | null>): RawBuilder<unknown>;
  /** The highest id that a user ever had, as `seq`. */
  lastUserId(): Compilable;
  /** Gives no id up to this one to a new user. */
  raiseLastUserId(last: RawBuilder<number>): Compilable;
}

/** Compiles a query whose values have names, `bind('name')`, and are given when it runs. */
export function prepare<Values>(
  dialect: Dialect,
  build: (bind: Bind<Values>) => Compilable,
): Prepared<Values> {
  return dialect.isForSets ? prepareSet(dialect, build) : prepareOne(dialect, build);
}

function prepareOne<Values>(
  dialect: Dialect,
  build: (bind: Bind<Values>) => Compilable,
): Prepared<Values> {
  const names = new Map<unknown, keyof Values & string>();
  const query = build(<Name extends keyof Values & string>(name: Name) => {
    const placeholder = new Placeholder(name);
    names.set(placeholder, name);
    return dialect.typed(sql<Values[Name]>`${placeholder}`, typeOf(name));
  }).compile();
  const parameters = query.parameters.map((value) => {
    const name = names.get(value);
    if (name === undefined) throw new Error(`a value stands in the text of: ${query.sql}`);
    return name;
  });
  return { sql: query.sql, parameters };
}

/**
 * Compiles the form for many changes at once: each value is a list, and the lists together are the
 * rows of a table `given`.
 */
function prepareSet<Values>(
  dialect: Dialect,
  build: (bind: Bind<Values>) => Compilable,
): Prepared<Values> {
  const names = new Set<keyof Values & string>();
  const query = build(<Name extends keyof Values & string>(name: Name) => {
    names.add(name);
    return sql<Values[Name]>`${sql.ref(`given.v_${name}`)}`;
  }).compile();
  const parameters = [...names];
  return { sql: `with ${dialect.givenTable(parameters)} ${query.sql}`, parameters };
}
