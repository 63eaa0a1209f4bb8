import type { Ms } from '../../domain/time.ts';
import type { Timer } from '../../ports/runtime.ts';
import type { Store } from '../../ports/store/index.ts';
import type { Vault } from '../../ports/vault.ts';
import { Identities } from '../sql/identities.ts';
import { createSqlStore } from '../sql/sql-store.ts';
import type { StoreOpenError } from '../store-fault.ts';
import type { PoolFigures } from './connection-pool.ts';
import type { DatabaseAddress } from './connection-url.ts';
import { PostgresEngine } from './postgres-engine.ts';
import { PostgresPool } from './postgres-pool.ts';
import { Preparation } from './preparation.ts';
import type { IdentityMemory } from './server-check.ts';
import { statements } from './statements.generated.ts';

export interface PostgresStoreOptions {
  readonly address: DatabaseAddress;
  /** Keeps which server it was, to refuse another one or a former primary. */
  readonly identity: IdentityMemory;
  readonly timer: Timer;
  /** A number from 0 to 1, each time another one. */
  readonly jitter: () => number;
  /** The vault that seals identities, as for SQLite. */
  readonly vault: Vault | null;
  /** The key of the audit log's hash chain, and earlier ones, the latest first. */
  readonly auditKey: Uint8Array;
  readonly retiredAuditKeys?: readonly Uint8Array[];
  /** Whether the schema is brought up to date, or only compared with this version's. */
  readonly migrates: boolean;
  /** Called when the database has come after the start, and can't be used by this version. */
  readonly onRefused: (error: StoreOpenError) => void;
  readonly onWarning?: (text: string) => void;
  readonly onConnections?: (figures: PoolFigures) => void;
  /** Gets the number of units of each commit. */
  readonly onCommit?: (units: number) => void;
  readonly connections?: number;
  /** For one operation, with its waiting and its repeats. */
  readonly deadlineMs?: Ms;
  readonly maxBatch?: number;
  readonly maxQueue?: number;
}

const CONNECTIONS = 8;
const DEADLINE_MS = 5000;
const CONNECT_MS = 3000;
const BACK_OFF_MS = 100;
const MAX_BACK_OFF_MS = 2000;
/** Operations that wait for a connection. Most of them share one, so they are few. */
const MAX_WAITING = 1024;
/** Each unit takes some locks of the server's table, which all instances share. */
const MAX_BATCH = 128;
const MAX_QUEUE = 4096;

/**
 * A database that is away leaves the store open and not ready; it is ready when the database comes.
 * @throws StoreOpenError when the database answers and can't be used
 */
export async function openPostgresStore(options: PostgresStoreOptions): Promise<Store> {
  const connecting = {
    ...options,
    connectMs: CONNECT_MS,
    deadlineMs: options.deadlineMs ?? DEADLINE_MS,
    onWarning: options.onWarning ?? (() => undefined),
  };
  const preparation = new Preparation(connecting);
  await preparation.begin();
  const pool = new PostgresPool({
    ...connecting,
    size: options.connections ?? CONNECTIONS,
    maxWaiting: MAX_WAITING,
    backOffMs: BACK_OFF_MS,
    maxBackOffMs: MAX_BACK_OFF_MS,
    onChange: options.onConnections ?? (() => undefined),
  });
  // So that a store whose database is there is ready from the beginning.
  if (preparation.lack === null) await pool.check();
  const { auditKey, retiredAuditKeys = [] } = options;
  const engine = new PostgresEngine({
    pool,
    preparation,
    auditKey,
    maxBatch: options.maxBatch ?? MAX_BATCH,
    maxQueue: options.maxQueue ?? MAX_QUEUE,
    onCommit: options.onCommit ?? (() => undefined),
  });
  return createSqlStore({
    engine,
    sql: statements,
    identities: new Identities(options.vault),
    auditKeys: [auditKey, ...retiredAuditKeys],
  });
}
