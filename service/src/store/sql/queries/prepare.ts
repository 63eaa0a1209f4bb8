import { sql, type Compilable, type Kysely, type RawBuilder } from 'kysely';
import type { Tables } from '../schema.ts';
import type { Statement } from '../statement.ts';

/** Stands in a query for a value that is given when the statement runs. */
class Placeholder {
  readonly name: string;

  constructor(name: string) {
    this.name = name;
  }
}

/**
 * The values that are integers; all others are text. PostgreSQL has to be told, because a value in
 * the list of a SELECT has no type by itself.
 */
const INTEGERS = [
  'admitted_at',
  'after',
  'assurance_level',
  'at',
  'authenticated_at',
  'before',
  'client_quota',
  'client_since',
  'completed_seen_at',
  'completion_expires_at',
  'completion_misses',
  'cooling_since',
  'count',
  'counts_until',
  'created_at',
  'disabled_at',
  'duration_ms',
  'erase',
  'expires_at',
  'failed_at',
  'id',
  'last',
  'limit',
  'provider_expires_at',
  'redeemed_at',
  'reference',
  'rejected_at',
  'replay_misses',
  'revoked_at',
  'sequence',
  'service_quota',
  'service_since',
  'spoiled_at',
  'status',
  'updated_at',
  'user_id',
] as const;

type IntegerName = (typeof INTEGERS)[number];

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

export type ValueType = 'integer' | 'text';

export type Bind<Values> = <Name extends NameOf<Values>>(name: Name) => RawBuilder<Values[Name]>;

export type Queries = Kysely<Tables>;
export type Prepared<Values> = Omit<Statement<Values>, 'name'>;

/** What two databases say in different words. */
export interface Dialect {
  /** Builds and type-checks queries without a connection. */
  readonly db: Queries;
  /** The function that gives the smallest of its arguments. */
  readonly least: string;
  /** A value with its type, where the database needs to be told. */
  typed<Value>(placeholder: RawBuilder<Value>, type: ValueType): RawBuilder<Value>;
  /** The elements of a JSON list as a table `item` with the column `value`. */
  elementsOf(json: RawBuilder<string>): RawBuilder<unknown>;
  /** The same for a list of texts. */
  textsOf(json: RawBuilder<string>): RawBuilder<unknown>;
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

function typeOf(name: string): ValueType {
  return INTEGERS.some((integer) => integer === name) ? 'integer' : 'text';
}
