import { SqliteDialect } from 'kysely';
import type { DatabaseSync, SQLInputValue } from 'node:sqlite';

/** Lets kysely run statements on node:sqlite. Whoever opened the database closes it. */
export function nodeSqliteDialect(database: DatabaseSync): SqliteDialect {
  return new SqliteDialect({
    database: {
      close: () => undefined,
      prepare: (text) => {
        const statement = database.prepare(text);
        return {
          reader: statement.columns().length > 0,
          all: (parameters) => statement.all(...parameters.map(bindable)),
          run: (parameters) => statement.run(...parameters.map(bindable)),
          iterate: (parameters) => statement.iterate(...parameters.map(bindable)),
        };
      },
    },
  });
}

/** The migrations bind names and times of migrations, and nothing else. */
function bindable(value: unknown): SQLInputValue {
  if (typeof value === 'string' || typeof value === 'number' || value === null) return value;
  throw new TypeError(`a migration binds a value of type ${typeof value}`);
}
