import {
  DummyDriver,
  Kysely,
  sql,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
  type Compilable,
  type RawBuilder,
} from 'kysely';
import type { Tables } from '../schema.ts';
import type { Statement } from '../statement.ts';

/** Stands in a query for a value that is given when the statement runs. */
class Placeholder {
  readonly name: string;

  constructor(name: string) {
    this.name = name;
  }
}

export type Bind<Values> = <Name extends keyof Values & string>(
  name: Name,
) => RawBuilder<Values[Name]>;

export type Queries = Kysely<Tables>;
export type Prepared<Values> = Omit<Statement<Values>, 'name'>;

/** Builds and type-checks queries in SQLite's dialect without a connection. */
export function sqliteQueries(): Queries {
  return new Kysely<Tables>({
    dialect: {
      createAdapter: () => new SqliteAdapter(),
      createDriver: () => new DummyDriver(),
      createIntrospector: (database) => new SqliteIntrospector(database),
      createQueryCompiler: () => new SqliteQueryCompiler(),
    },
  });
}

/** Compiles a query whose values have names, `bind('name')`, and are given when it runs. */
export function prepare<Values>(build: (bind: Bind<Values>) => Compilable): Prepared<Values> {
  const names = new Map<unknown, keyof Values & string>();
  const query = build(<Name extends keyof Values & string>(name: Name) => {
    const placeholder = new Placeholder(name);
    names.set(placeholder, name);
    return sql<Values[Name]>`${placeholder}`;
  }).compile();
  const parameters = query.parameters.map((value) => {
    const name = names.get(value);
    if (name === undefined) throw new Error(`a value stands in the text of: ${query.sql}`);
    return name;
  });
  return { sql: query.sql, parameters };
}
