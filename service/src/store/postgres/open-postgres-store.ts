import { MINUTE_MS, type Ms } from '../../values/time.ts';
import type { StoreConnections } from '../../operate/metrics/meter.port.ts';
import type { Timer } from '../../platform/runtime.port.ts';
import type { Store } from '../ports/store.port.ts';
import type { AuditKeys } from '../../platform/keys/server-keys.port.ts';
import type { Vault } from '../../platform/keys/vault.port.ts';
import { Identities } from '../sql/identities.ts';
import { createSqlStore } from '../sql/sql-store.ts';
import type { ListenOptions } from './coordination/listen-connection.ts';
import type { SharedPool } from './coordination/shared-database.ts';
import type { DatabaseAddress } from './connection-url.ts';
import { Connector } from './connections/connector.ts';
import type { DatabasePassword } from './connections/database-password.ts';
import type { PostgresConnection } from './connections/connection.ts';
import { GatedEngine } from './gated-engine.ts';
import { PostgresEngine } from './postgres-engine.ts';
import { PostgresPool } from './connections/postgres-pool.ts';
import { Preparation, type PreparationOptions } from './preparation.ts';
import { Presence, type MemberKeys } from './presence/presence.ts';
import type { Membership } from './presence/sessions.ts';
import type { IdentityMemory, ServerWarning } from './server-check.ts';
import { statements } from './statements.generated.ts';

export interface PostgresStoreOptions {
  readonly address: DatabaseAddress;
  /** As that of a Connector. */
  readonly password?: DatabasePassword;
  /** Keeps which server it was, to refuse another one or a former primary. */
  readonly identity: IdentityMemory;
  readonly timer: Timer;
  /** A number from 0 to 1, each time another one. */
  readonly jitter: () => number;
  /** The vault that seals identities, as for SQLite. */
  readonly vault: Vault | null;
  readonly auditKeys: AuditKeys;
  /** Whether the schema is brought up to date, or only compared with this version's. */
  readonly migrates: boolean;
  /** Called when the database has come after the start, and may not be used. */
  readonly onRefused: (error: Error) => void;
  /** What the others see of this instance; null for a command of an operator. */
  readonly membership: Membership | null;
  /** The machine and the port or command, added to the name of the sessions. */
  readonly place: string;
  readonly onWarning?: (text: string) => void;
  readonly onConnections?: (figures: StoreConnections) => void;
  /**
   * Called when a batch of writes begins. What it returns is called when that batch was committed,
   * with the number of its units. Several batches are under way at once.
   */
  readonly onBegin?: () => (units: number) => void;
  readonly connections?: number;
  /** For one operation, with its waiting and its repeats. */
  readonly deadlineMs?: Ms;
  /** For one server: to connect, to log in and to be checked. */
  readonly connectMs?: Ms;
  readonly maxBatch?: number;
  readonly maxQueue?: number;
}

const CONNECTIONS = 8;
const DEADLINE_MS = 5000;
const CONNECT_MS = 3000;
const AGES = { idleMs: MINUTE_MS, kept: 2, lifetimeMs: 30 * MINUTE_MS };
const BACK_OFF_MS = 100;
const MAX_BACK_OFF_MS = 2000;
/** Operations that wait for a connection. Most of them share one, so they are few. */
const MAX_WAITING = 1024;
/** Each unit takes some locks of the server's table, which all instances share. */
const MAX_BATCH = 128;
const MAX_QUEUE = 4096;

export interface PostgresStore {
  /** Refuses everything before `admit` has let it through. */
  readonly store: Store;
  /**
   * Brings the schema up to date and runs the check. While the database is away, both are tried
   * again in the background, and the store is not ready.
   * @throws StoreOpenError, or what the check throws, when the database answers and may not be used
   */
  readonly admit: (check: (store: Store) => Promise<void>) => Promise<void>;
  /** The same connections, for the shared state. They refuse everything before `admit` too. */
  readonly pool: SharedPool;
  /** The same connections for the check of `admit`, which comes before. */
  readonly unchecked: SharedPool;
  /** As those of a Presence. @param renewLine replaces the connection besides these */
  readonly keys: {
    requireFit(keys: MemberKeys): Promise<void>;
    show(keys: MemberKeys, renewLine: () => Promise<void>): Promise<void>;
    /** Resolves when the writes that have begun are done. */
    settled(): Promise<void>;
  };
  /** For a connection besides these. */
  readonly line: ListenOptions;
  /**
   * Runs work while no other program uses the database, and keeps all others from it. Only with one
   * connection.
   * @throws Error that says who uses it; nothing was done then
   */
  readonly alone: <Result>(work: () => Promise<Result>) => Promise<Result>;
}

/** Connects in the background: nothing is refused here. */
export function openPostgresStore(options: PostgresStoreOptions): PostgresStore {
  const plainName = options.address.applicationName;
  const presence = new Presence({ ...options, plainName });
  const connecting = {
    ...options,
    address: { ...options.address, applicationName: `${plainName} ${options.place}` },
    connectMs: options.connectMs ?? CONNECT_MS,
    deadlineMs: options.deadlineMs ?? DEADLINE_MS,
    onWarning: ({ what, remedy }: ServerWarning) => options.onWarning?.(`${what}: ${remedy}`),
  };
  const backOff = { backOffMs: BACK_OFF_MS, maxBackOffMs: MAX_BACK_OFF_MS };
  // What a server warns of is told once, by the connections of the pool.
  const silent = { ...connecting, onWarning: () => undefined };
  const { preparation, enter } = entrance(silent, presence);
  const lineConnector = new Connector({ ...silent, enter });
  const pool = new PostgresPool({
    ...connecting,
    enter,
    size: options.connections ?? CONNECTIONS,
    maxWaiting: MAX_WAITING,
    ages: AGES,
    ...backOff,
    onChange: options.onConnections ?? (() => undefined),
  });
  const { auditKeys, vault } = options;
  const engine = engineOn(pool, options);
  const parts = { sql: statements, identities: new Identities(vault), auditKeys };
  const unchecked = createSqlStore({ ...parts, engine });
  return {
    store: createSqlStore({ ...parts, engine: new GatedEngine(engine, preparation) }),
    admit: (check) =>
      preparation.begin(async () => {
        // So that a store whose database is there is ready from the beginning.
        await pool.check();
        presence.require();
        await check(unchecked);
      }),
    pool: whenPrepared(pool, preparation),
    unchecked: pool,
    keys: {
      requireFit: (keys) => presence.requireFitWith(pool, keys),
      show: (keys, renewLine) =>
        presence.show(pool, keys, () => Promise.all([pool.renew(), renewLine()])),
      settled: () => engine.settled(),
    },
    alone: (work) => presence.alone(pool, work),
    line: { ...connecting, ...backOff, connect: () => lineConnector.connect() },
  };
}

function engineOn(pool: PostgresPool, options: PostgresStoreOptions): PostgresEngine {
  return new PostgresEngine({
    pool,
    auditKeys: options.auditKeys,
    maxBatch: options.maxBatch ?? MAX_BATCH,
    maxQueue: options.maxQueue ?? MAX_QUEUE,
    onBegin: options.onBegin ?? (() => () => undefined),
    deadlineMs: options.deadlineMs ?? DEADLINE_MS,
    timer: options.timer,
  });
}

/** What a connection meets before it is used: first of all, the one that looks at the schema. */
function entrance(options: PreparationOptions, presence: Presence) {
  const preparation = new Preparation({
    ...options,
    enter: (connection) => presence.prepare(connection),
  });
  const enter = async (connection: PostgresConnection) => {
    await preparation.migrated;
    await presence.enter(connection);
  };
  return { preparation, enter };
}

/** Without the tables of this version no statement is sent, as for the store. */
function whenPrepared(pool: PostgresPool, preparation: Preparation): SharedPool {
  return {
    async read(call) {
      preparation.require();
      return pool.read(call);
    },
    async writeUnlogged(call) {
      preparation.require();
      return pool.writeUnlogged(call);
    },
  };
}
