import type { Store } from '../../ports/store.ts';
import type { Vault } from '../../ports/vault.ts';
import { GroupCommit } from './group-commit.ts';
import { Identities } from '../identities.ts';
import { migrate, requireCurrentSchema } from '../migrations/migrate.ts';
import { statements } from '../statements.generated.ts';
import { CommitThread } from './commit-thread.ts';
import { findDatabase, prepareDataDirectory, sizeOf } from './data-directory.ts';
import { PROBE_STATEMENT } from './space-probe.ts';
import { SqliteAudit } from './sqlite-audit.ts';
import { SqliteReader } from './sqlite-reader.ts';
import { SqliteStore } from './sqlite-store.ts';
import type { Pragma, WorkerSettings } from './worker-protocol.ts';

/** Longer than a restart leaves its predecessor behind (decision 0014). */
const LOCK_WAIT_MS = 2000;
const MAX_BATCH = 256;
const MAX_QUEUE = 4096;
/** For other programs, such as a backup, that hold the file for a moment. */
const BUSY_TIMEOUT_MS = 5000;
/** 16 MiB of log: the fewer checkpoints, the more changes of one page each of them writes at once. */
const MAX_LOG_PAGES = 4096;
/** A file of this size is read whole in a fraction of a second; larger ones are not, at a start. */
const VERIFY_UP_TO_BYTES = 64 * 1024 * 1024;

const NO_KEY = new Uint8Array();

export interface SqliteStoreOptions {
  readonly directory: string;
  /** Called once when nothing more can be written: the process should end and start again. */
  readonly onPoisoned: (reason: string) => void;
  /**
   * What identities are sealed with. Without one they are written in the clear, which is for the
   * simulator's invented people only; a store that was written with one needs it from then on.
   */
  readonly vault?: Vault | null;
  /** What the audit log is chained by. Without one, everybody can compute a chain that fits. */
  readonly auditKey?: Uint8Array;
  /** Of before, the latest first: the log has rows that only they can prove. */
  readonly retiredAuditKeys?: readonly Uint8Array[];
  /** 1 gives every write a commit of its own, as a measure of what sharing them gains. */
  readonly maxBatch?: number;
  readonly maxQueue?: number;
  readonly lockWaitMs?: number;
  /**
   * Works beside the service on its file, or alone: takes no lock, makes nothing and migrates
   * nothing. For a command that does one thing and ends.
   */
  readonly asOperator?: boolean;
  /** The caller has the lock of the folder (folder-lock.ts), and keeps it. */
  readonly isLocked?: boolean;
  /** Pages of 4 KiB that the file may have; then writes are refused, as on a full disk. */
  readonly maxPages?: number;
  /** Pages of 4 KiB in the write-ahead log at which they are moved into the database file. */
  readonly maxLogPages?: number;
  /** Told the number of units in each transaction. */
  readonly onCommit?: (units: number) => void;
}

/** @throws StoreOpenError */
export async function openSqliteStore(options: SqliteStoreOptions): Promise<Store> {
  const settings = settingsOf(options);
  const thread = await CommitThread.start(settings);
  try {
    if (options.asOperator === true) requireCurrentSchema(thread.location);
    // Under the lock, and before anything is served.
    else migrate(thread.location);
    const reader = new SqliteReader(thread.location);
    const identities = new Identities(options.vault ?? null);
    const auditLog = new SqliteAudit(reader, auditKeysOf(options));
    const writes = groupCommit(thread, options);
    return new SqliteStore({ reader, thread, writes, identities, auditLog });
  } catch (error) {
    await thread.release();
    throw error;
  }
}

/** The current one first. */
function auditKeysOf({ auditKey = NO_KEY, retiredAuditKeys = [] }: SqliteStoreOptions) {
  return [auditKey, ...retiredAuditKeys];
}

function groupCommit(thread: CommitThread, options: SqliteStoreOptions): GroupCommit {
  return new GroupCommit(thread, {
    maxBatch: options.maxBatch ?? MAX_BATCH,
    maxQueue: options.maxQueue ?? MAX_QUEUE,
    onCommit: options.onCommit ?? (() => undefined),
    onPoisoned: options.onPoisoned,
  });
}

export function settingsOf(options: SqliteStoreOptions): WorkerSettings {
  const { lockWaitMs = LOCK_WAIT_MS, maxPages, auditKey = NO_KEY } = options;
  const compiled = Object.fromEntries(
    Object.values(statements).map(({ name, sql }) => [name, sql]),
  );
  const limit = maxPages === undefined ? [] : [setting('max_page_count', maxPages)];
  return {
    ...filesOf(options),
    lockWaitMs,
    maxLogPages: options.maxLogPages ?? MAX_LOG_PAGES,
    pragmas: [...PRAGMAS, ...limit],
    statements: { ...PROBE_STATEMENT, ...compiled },
    auditKey,
  };
}

function filesOf({ directory, asOperator = false, isLocked = false }: SqliteStoreOptions) {
  if (asOperator) return { file: findDatabase(directory), lockFile: null, verify: false };
  const { database: file, lock: lockFile } = prepareDataDirectory(directory);
  const verify = sizeOf(file) <= VERIFY_UP_TO_BYTES;
  return { file, lockFile: isLocked ? null : lockFile, verify };
}

function setting(name: string, value: number): Pragma {
  return { name, value, expected: value };
}

/**
 * Every one is read back. `synchronous=FULL` flushes the log at each commit: with NORMAL a power cut
 * loses requests that were answered. `fullfsync` is for macOS, where a flush otherwise ends in the
 * cache of the drive.
 */
const PRAGMAS: readonly Pragma[] = [
  setting('busy_timeout', BUSY_TIMEOUT_MS),
  { name: 'journal_mode', value: 'WAL', expected: 'wal' },
  { name: 'synchronous', value: 'FULL', expected: 2 },
  { name: 'fullfsync', value: 'ON', expected: 1 },
  { name: 'checkpoint_fullfsync', value: 'ON', expected: 1 },
  { name: 'foreign_keys', value: 'ON', expected: 1 },
  // Overwrites what is deleted, on pages that are written anyway.
  { name: 'secure_delete', value: 'FAST', expected: 2 },
  // write-ahead-log.ts does it, and sees whether it worked.
  setting('wal_autocheckpoint', 0),
];
