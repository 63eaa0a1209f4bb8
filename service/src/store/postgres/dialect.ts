import {
  DummyDriver,
  Kysely,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
  sql,
  type RawBuilder,
} from 'kysely';
import type { Dialect } from '../sql/queries/prepare.ts';
import type { Tables } from '../sql/schema.ts';
import { typeOf, type ValueType } from '../sql/value-types.ts';

/** PostgreSQL's words: for one change, or for many changes of one kind at once. */
export function postgresDialect({ isForSets }: { readonly isForSets: boolean }): Dialect {
  const db = new Kysely<Tables>({
    dialect: {
      createAdapter: () => new PostgresAdapter(),
      createDriver: () => new DummyDriver(),
      createIntrospector: (database) => new PostgresIntrospector(database),
      createQueryCompiler: () => new PostgresQueryCompiler(),
    },
  });
  return {
    db,
    isForSets,
    givenTable,
    skipsLocked: true,
    least: 'least',
    typed: <Value>(placeholder: RawBuilder<Value>, type: ValueType) =>
      sql<Value>`cast(${placeholder} as ${sql.raw(typeNamed(type))})`,
    elementsOf: (json) => sql`jsonb_array_elements(cast(${json} as jsonb)) as item(value)`,
    textsOf: (json) => sql`jsonb_array_elements_text(cast(${json} as jsonb)) as item(value)`,
    lastUserId: () => db.selectNoFrom(sql<number>`last_user_id()`.as('seq')),
    raiseLastUserId: (last) => db.selectNoFrom(sql`raise_last_user_id(${last})`.as('raised')),
  };
}

function typeNamed(type: ValueType): string {
  return type === 'integer' ? 'bigint' : 'text';
}

function givenTable(names: readonly string[]): string {
  const lists = names.map((name, index) => `$${index + 1}::${typeNamed(typeOf(name))}[]`);
  const columns = names.map((name) => `"v_${name}"`);
  return `given as (select * from unnest(${lists.join(', ')}) as given(${columns.join(', ')}))`;
}
