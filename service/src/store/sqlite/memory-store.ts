import type { Store } from '../ports/store.port.ts';
import { NO_KEY } from '../../values/secret.ts';
import { Identities } from '../sql/identities.ts';
import type { Read } from '../sql/statement.ts';
import { createSqlStore } from '../sql/sql-store.ts';
import { GroupCommit } from './group-commit.ts';
import { SqliteEngine } from './sqlite-engine.ts';
import { migratedInMemory } from './migrations/migrate.ts';
import { PreparedStatements, readAtOnce, textsOf, UnitRunner } from './thread/sqlite-connection.ts';
import { statements } from './statements.generated.ts';

/** There is no log to move, no lock and no second connection: closing the reader closes all. */
const nothing = async () => undefined;
const NO_THREAD = { flush: nothing, release: nothing, abandon: nothing };

/**
 * SQLite without a file: the same commands, reads and statements on one connection in this thread.
 * Reads share no transaction, because the writes are on the same connection, and without a file no
 * lock is saved by it. Everything is lost when the store is closed, so S-1 holds only until then.
 * Nothing is written to a disk, so nothing is sealed.
 */
export function createMemoryStore(): Store {
  const database = migratedInMemory();
  const texts = textsOf(statements);
  const units = new UnitRunner(database, { statements: texts, auditKey: NO_KEY });
  const prepared = new PreparedStatements(database, texts);
  // Between two batches nothing can break: there is no disk.
  const broken = new Promise<never>(() => undefined);
  const writes = new GroupCommit(
    { run: async (batch) => units.run(batch), broken },
    { onPoisoned: () => undefined },
  );
  const reader = {
    get isOpen() {
      return database.isOpen;
    },
    read: <Result>(read: Read<Result>) => readAtOnce(read, (select) => prepared.rowsOf(select)),
    close: () => database.close(),
  };
  return createSqlStore({
    engine: new SqliteEngine({ reader, thread: NO_THREAD, writes }),
    sql: statements,
    identities: new Identities(null),
    auditKeys: () => [NO_KEY],
  });
}
