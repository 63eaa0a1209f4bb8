import { existsSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { pathToFileURL } from 'node:url';
import { Refusal } from '../../domain/errors/refusal.ts';
import type { StoreBinding } from '../../domain/store-binding.ts';
import type { Store } from '../../ports/store/index.ts';
import type { SqlEngine } from '../sql/engine.ts';
import { Identities } from '../sql/identities.ts';
import { one } from '../sql/read.ts';
import { bindingFromRow } from '../sql/rows/binding.ts';
import { createSqlStore } from '../sql/sql-store.ts';
import { findDatabase } from './data-directory.ts';
import { MIGRATIONS } from './migrations/migrate.ts';
import { SqliteReader } from './sqlite-reader.ts';
import { statements } from './statements.generated.ts';

/** What can be read of a store without changing it. */
export interface StoreInspection extends Pick<
  Store,
  'knowsAudit' | 'verifyAudit' | 'containsHead' | 'close'
> {
  readonly file: string;
  /** Migrations of this version that the file lacks, and those that this version does not know. */
  schema(): { readonly missing: readonly string[]; readonly unknown: readonly string[] };
  /** `ok`, or what SQLite finds wrong. */
  integrity(): string;
  binding(): Promise<StoreBinding | null>;
}

/**
 * Opens the store for reading, while a service uses it or not, and writes nothing. Beside a file
 * that nobody uses SQLite would make its log and index files, so such a file is opened as one that
 * can't change. After a crash the log is still there, and SQLite may make its index of it anew
 * (`miftah.db-shm`), as for any reader.
 * @throws StoreOpenError when there is no store; Error of SQLite when the file is no database
 */
export function inspectStore(directory: string, auditKeys: readonly Uint8Array[]): StoreInspection {
  const file = findDatabase(directory);
  const isInUse = existsSync(`${file}-wal`);
  const place = isInUse ? file : `${pathToFileURL(file).href}?immutable=1`;
  const database = new DatabaseSync(place, { readOnly: true });
  const engine = readOnlyEngine(place);
  const identities = new Identities(null);
  const store = createSqlStore({ engine, sql: statements, identities, auditKeys });
  return {
    file,
    schema: () => schemaOf(database),
    integrity: () =>
      String(Object.values(database.prepare('PRAGMA quick_check(1)').get() ?? {})[0]),
    async binding() {
      const row = await engine.read(one(statements.selectBinding, {}));
      return row === null ? null : bindingFromRow(row);
    },
    knowsAudit: () => store.knowsAudit(),
    verifyAudit: () => store.verifyAudit(),
    containsHead: (head) => store.containsHead(head),
    async close() {
      await store.close();
      database.close();
    },
  };
}

function readOnlyEngine(place: string): SqlEngine {
  const texts = Object.values(statements).map(({ name, sql }) => [name, sql] as const);
  const reader = new SqliteReader(place, Object.fromEntries(texts), () => undefined);
  return {
    run: async () => {
      throw new Refusal('storage.unavailable');
    },
    read: async (read) => reader.read(read),
    health: () => ({ ready: false, reason: 'it is open for reading' }),
    recover: async () => undefined,
    close: async () => reader.close(),
  };
}

function schemaOf(database: DatabaseSync) {
  const rows = database.prepare('SELECT name FROM schema_migrations').all();
  const applied = new Set(rows.map(({ name }) => String(name)));
  const known = new Set(MIGRATIONS.map(({ name }) => name));
  return {
    missing: [...known].filter((name) => !applied.has(name)),
    unknown: [...applied].filter((name) => !known.has(name)),
  };
}
