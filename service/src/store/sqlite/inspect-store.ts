import { existsSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { pathToFileURL } from 'node:url';
import type { SqlEngine } from '../sql/engine.ts';
import { inspectContent, schemaState, type StoreInspection } from '../sql/inspection.ts';
import { findDatabase } from './data-directory.ts';
import { MIGRATIONS } from './migrations/migrate.ts';
import { textsOf, SqliteReader } from './thread/sqlite-connection.ts';
import { statements } from './statements.generated.ts';

/** What can be read of a file without changing it. */
export interface FileInspection extends StoreInspection {
  readonly file: string;
  /** `ok`, or what SQLite finds wrong. */
  integrity(): string;
}

/**
 * Opens the store for reading, while a service uses it or not, and writes nothing. Beside a file
 * that nobody uses SQLite would make its log and index files, so such a file is opened as one that
 * can't change. After a crash the log is still there, and SQLite may make its index of it anew
 * (`miftah.db-shm`), as for any reader.
 * @throws StoreOpenError when there is no store. That the file is no database is found by what reads it.
 */
export function inspectStore(directory: string, auditKeys: readonly Uint8Array[]): FileInspection {
  const file = findDatabase(directory);
  const isInUse = existsSync(`${file}-wal`);
  const place = isInUse ? file : `${pathToFileURL(file).href}?immutable=1`;
  const database = new DatabaseSync(place, { readOnly: true });
  const reader = new SqliteReader(place, textsOf(statements), () => undefined);
  const reading: Pick<SqlEngine, 'read' | 'close'> = {
    read: async (read) => reader.read(read),
    close: async () => reader.close(),
  };
  const content = inspectContent(reading, { sql: statements, auditKeys: () => auditKeys });
  return {
    ...content,
    file,
    schema: async () => schemaState(appliedTo(database), MIGRATIONS),
    integrity: () =>
      String(Object.values(database.prepare('PRAGMA integrity_check(1)').get() ?? {})[0]),
    async close() {
      await content.close();
      database.close();
    },
  };
}

function appliedTo(database: DatabaseSync): ReadonlySet<string> {
  const rows = database.prepare('SELECT name FROM schema_migrations').all();
  return new Set(rows.map(({ name }) => String(name)));
}
