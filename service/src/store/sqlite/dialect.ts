import {
  DummyDriver,
  Kysely,
  sql,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
} from 'kysely';
import type { Dialect } from '../sql/queries/prepare.ts';
import type { Tables } from '../sql/schema.ts';

const USERS = sql.lit('users');

/** SQLite's words. It takes the type of a value from the value itself. */
export function sqliteDialect(): Dialect {
  const db = new Kysely<Tables>({
    dialect: {
      createAdapter: () => new SqliteAdapter(),
      createDriver: () => new DummyDriver(),
      createIntrospector: (database) => new SqliteIntrospector(database),
      createQueryCompiler: () => new SqliteQueryCompiler(),
    },
  });
  return {
    db,
    isForSets: false,
    givenTable: () => '',
    skipsLocked: false,
    least: 'min',
    typed: (placeholder) => placeholder,
    elementsOf: (json) => sql`json_each(${json}) as item`,
    textsOf: (json) => sql`json_each(${json}) as item`,
    // SQLite's own table of the highest ids it has assigned.
    lastUserId: () => db.selectFrom('sqlite_sequence').select('seq').where('name', '=', USERS),
    raiseLastUserId: (last) =>
      db
        .updateTable('sqlite_sequence')
        .set({ seq: sql<number>`max(seq, ${last})` })
        .where('name', '=', USERS),
  };
}
