/**
 * Where attempts, users and API tokens are kept. Two databases behind store/ports/store.port.ts; the
 * model that the tests compare them with is service/test/model/.
 *
 * Not a store for each database: a guard that is mended in one would stay wrong in the other. Nor are
 * rows loaded, decided upon and saved: docs/performance.md has what that cost in a trial. Text has
 * COLLATE "C" in PostgreSQL, so that both sort by bytes, and pages come in the same order.
 *
 *   sql/                   what every SQL database needs
 *     sql-store            the port over an engine
 *     stores/              a file for each noun: its commands, each with its steps, its audit rows
 *                          and how its result is read, its reads, and rows to domain types and back
 *     decide/              what is decided before a command
 *     engine               what a database brings: it runs commands and reads
 *     statement            one to run: a step of a command, or of a read, a function that yields
 *                          them; reads the values of a row
 *     patience             which commands wait for the commit of others; under-way: all that have begun
 *     audit-rows           rows of the audit log, as commands write them and as they are read
 *     queries/             the statements, as typed queries in any dialect
 *     schema               the tables as types
 *     inspection           for `miftah doctor`: reads, and writes nothing
 *     identities           what a vault seals, and the digest that a person is found by
 *     move, moved-tables, fence   from one database to another, and what keeps services from the
 *                          first (decision 0137); each database has a move-side
 *   sqlite/                one file, in write-ahead-log mode, one process (decision 0014)
 *     open-sqlite-store    the order of opening: directory, lock, settings, migrations, reader;
 *                          or beside a service, without lock and migrations (decision 0014)
 *     sqlite-engine        the service's end: the writing thread that units are sent to; reads directly
 *     group-commit         a queue of units, one transaction for all that wait
 *     thread/              what the writing thread runs, and the main thread for its reads
 *       sqlite-worker      the file that the thread begins with
 *       writer             answers in that thread; moves the log into the database file, and says
 *                          when it can't
 *       sqlite-connection  what runs on one connection: its statements, the reads of the main thread,
 *                          and batches of units with the rows of the audit log
 *       log-damage         whether flushed commits are behind a damaged place of the log
 *                          (log-chain, log-frames)
 *     dialect, statements.generated   its words, and the queries as SQL text, so that no query
 *                          builder is loaded at run time
 *     migrations/          the schema, step by step
 *     backup               copies the store, and replaces it by a copy; folder-lock keeps
 *                          services out
 *     compact              rewrites the file without what was deleted
 *     inspect-store        opens a file for `miftah doctor`
 *     memory-store         the same without file, thread and lock, for tests and `miftah/testing`
 *
 *   postgres/              one database for any number of instances
 *     open-postgres-store  opens it, also while the database is away; preparation checks its schema
 *     postgres-engine      commands and reads in batches. Locks by name make those wait that meet;
 *                          SERIALIZABLE would run them again
 *     commands/            batch, write-queue, read-batches; step-calls, look-ups, audit-rows: steps
 *                          of many commands as one statement
 *     dialect, statements.generated, sets   its words, and the queries as SQL text
 *     migrations/          the schema, step by step
 *     connections/         a bounded number of them, made anew
 *       postgres-pool      reads, writes and transactions, each within a deadline
 *       transaction        one transaction, and what its COMMIT is answered with
 *       client-config      what the driver is told; sql-state: what the server answers
 *     connection-url       the URL of the database, as it may be written
 *     server-check         whether it is the right server
 *     presence/            who else uses the database, proved by locks (decision 0014)
 *     inspect-database     opens a database for `miftah doctor`
 *     faults               what a fault says about what was written
 *     coordination/        what instances share beside the store (platform/coordination/coordination.port.ts, decision
 *                          0084): request limits, the lock of an attempt, status polls
 *     open-postgres        store and shared state of one instance, on the same connections
 *
 * A changed query, or a new migration, is followed by `npx vitest run service/test/store -u`, which
 * writes the generated statements and the golden schema anew, to be read in the difference.
 */
export { createMemoryStore } from './sqlite/memory-store.ts';
export {
  backUp,
  placeError,
  removeCopy,
  replaceStore,
  requireNoReplaced,
  sizeOfCopy,
  stageBackup,
} from './sqlite/backup.ts';
export { compact } from './sqlite/compact.ts';
export {
  FILES_IN_USE,
  hasDatabase,
  removeStaged,
  STAGE,
  STORE_FILES,
  syncDirectory,
} from './sqlite/data-directory.ts';
export { isFolderLocked, lockFolder, serviceRunsError } from './sqlite/folder-lock.ts';
export { inspectStore, type FileInspection } from './sqlite/inspect-store.ts';
export {
  openSqliteService,
  openSqliteStore,
  type SqliteStoreOptions,
} from './sqlite/open-sqlite-store.ts';
export { openSqliteSide, liftFence, peopleLeftIn } from './sqlite/move-side.ts';
export { fenceWords } from './sql/fence.ts';
export type { StoreInspection } from './sql/inspection.ts';
export { moveRows, type MoveSide } from './sql/move.ts';
export { StoreOpenError } from './store-fault.ts';
