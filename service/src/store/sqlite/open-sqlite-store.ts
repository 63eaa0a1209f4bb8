import type { Store } from '../ports/store.port.ts';
import { NO_KEY } from '../../values/secret.ts';
import type { Timer } from '../../platform/runtime.port.ts';
import type { AuditKeys } from '../../platform/keys/server-keys.port.ts';
import type { Vault } from '../../platform/keys/vault.port.ts';
import { GroupCommit } from './group-commit.ts';
import { SqliteEngine, CommitThread } from './sqlite-engine.ts';
import { Identities } from '../sql/identities.ts';
import { createSqlStore } from '../sql/sql-store.ts';
import { migrate, requireCurrentSchema } from './migrations/migrate.ts';
import { statements } from './statements.generated.ts';
import { findDatabase, prepareDataDirectory, removeStaged, sizeOf } from './data-directory.ts';
import { textsOf, SqliteReader } from './thread/sqlite-connection.ts';
import { PROBE_STATEMENT } from './thread/sqlite-connection.ts';
import type { Pragma, WorkerSettings } from './thread/worker-protocol.ts';

/** Longer than the previous process needs to end at a restart (decision 0014). */
const LOCK_WAIT_MS = 2000;
/** How long to wait for other programs, such as a backup, that lock the file for a moment. */
const BUSY_TIMEOUT_MS = 5000;
/** 16 MiB of log: with fewer checkpoints, each one combines more changes of a page in one write. */
const MAX_LOG_PAGES = 4096;
/**
 * Files up to this size are verified at the start, in about a second at most; larger ones are not.
 */
const VERIFY_UP_TO_BYTES = 64 * 1024 * 1024;

const withoutKey: AuditKeys = () => [NO_KEY];

export interface SqliteStoreOptions {
  readonly directory: string;
  /** Called once when nothing more can be written: the process should end and start again. */
  readonly onPoisoned: (reason: string) => void;
  /**
   * The vault that seals identities. Without one they are stored as plain text, which is only for
   * the simulator's invented people. A store that was written with a vault always needs it.
   */
  readonly vault?: Vault | null;
  /**
   * The keys of the audit log's hash chain, without which everybody could compute a valid one. Older
   * rows of the log are proved by earlier keys alone.
   */
  readonly auditKeys?: AuditKeys;
  /** With 1 every write has its own commit; used to measure the gain of shared commits. */
  readonly maxBatch?: number;
  readonly maxQueue?: number;
  readonly lockWaitMs?: number;
  /**
   * For a command that does one thing and ends, while the service runs or not: takes no lock,
   * creates nothing and migrates nothing.
   */
  readonly asOperator?: boolean;
  /** The caller has the lock of the folder (folder-lock.ts), and keeps it. */
  readonly isLocked?: boolean;
  /** Pages of 4 KiB that the file may have; then writes are refused, as on a full disk. */
  readonly maxPages?: number;
  /** Pages of 4 KiB in the write-ahead log at which they are moved into the database file. */
  readonly maxLogPages?: number;
  /** Gets the bytes of the write-ahead log, once, when it has become several times too long. */
  readonly onLongLog?: (bytes: number) => void;
  /**
   * Called when a transaction is handed to the writing thread. What it returns is called when that
   * transaction was committed, with the number of its units.
   */
  readonly onBegin?: () => (units: number) => void;
  /** For patient commands; without one they are like the others. */
  readonly timer?: Timer;
}

/** @throws StoreOpenError */
export async function openSqliteStore(options: SqliteStoreOptions): Promise<Store> {
  return (await openSqliteService(options)).store;
}

interface SqliteService {
  readonly store: Store;
  /** Resolves when the commands that have begun are done. */
  readonly settled: () => Promise<void>;
}

/** @throws StoreOpenError */
export async function openSqliteService(options: SqliteStoreOptions): Promise<SqliteService> {
  const settings = settingsOf(options);
  const { auditKeys = withoutKey } = options;
  const thread = await CommitThread.start(settings, auditKeys, options.onLongLog);
  try {
    if (options.asOperator === true) requireCurrentSchema(thread.location);
    // While holding the lock, and before any request is served.
    else migrate(thread.location);
    if (settings.lockFile !== null) removeStaged(options.directory);
    const writes = new GroupCommit(thread, options);
    const reader = new SqliteReader(thread.location, settings.statements, (reason) =>
      writes.poisonWith(reason),
    );
    const engine = new SqliteEngine({ reader, thread, writes });
    const identities = new Identities(options.vault ?? null);
    const store = createSqlStore({ engine, sql: statements, identities, auditKeys });
    return { store, settled: () => engine.settled() };
  } catch (error) {
    await thread.release();
    throw error;
  }
}

export function settingsOf(options: SqliteStoreOptions): WorkerSettings {
  const { lockWaitMs = LOCK_WAIT_MS, maxPages, auditKeys = withoutKey } = options;
  const limit = maxPages === undefined ? [] : [setting('max_page_count', maxPages)];
  return {
    ...filesOf(options),
    lockWaitMs,
    maxLogPages: options.maxLogPages ?? MAX_LOG_PAGES,
    pragmas: [...PRAGMAS, ...limit],
    statements: { ...PROBE_STATEMENT, ...textsOf(statements) },
    auditKey: auditKeys()[0] ?? NO_KEY,
  };
}

function filesOf({ directory, asOperator = false, isLocked = false }: SqliteStoreOptions) {
  if (asOperator) {
    return { file: findDatabase(directory), lockFile: null, verifyLog: false, verify: false };
  }
  const { database: file, lock: lockFile } = prepareDataDirectory(directory);
  const verify = sizeOf(file) <= VERIFY_UP_TO_BYTES;
  return { file, lockFile: isLocked ? null : lockFile, verifyLog: true, verify };
}

function setting(name: string, value: number): Pragma {
  return { name, value, expected: value };
}

/**
 * Each setting is read back. `synchronous=FULL` flushes the log at each commit: with NORMAL a power
 * cut loses acknowledged requests. `fullfsync` is for macOS, where a flush otherwise reaches only
 * the drive's cache.
 */
const PRAGMAS: readonly Pragma[] = [
  setting('busy_timeout', BUSY_TIMEOUT_MS),
  { name: 'journal_mode', value: 'WAL', expected: 'wal' },
  { name: 'synchronous', value: 'FULL', expected: 2 },
  { name: 'fullfsync', value: 'ON', expected: 1 },
  { name: 'checkpoint_fullfsync', value: 'ON', expected: 1 },
  { name: 'foreign_keys', value: 'ON', expected: 1 },
  // Overwrites deleted content on pages that are written anyway.
  { name: 'secure_delete', value: 'FAST', expected: 2 },
  // writer.ts makes the checkpoints, because it has to know whether they succeed.
  setting('wal_autocheckpoint', 0),
];
