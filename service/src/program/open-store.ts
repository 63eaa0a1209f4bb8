import type { Act } from '../audit/act.ts';
import type { Config } from '../config/config.ts';
import { modeOf } from '../config/live.ts';
import type { ByFlow } from '../attempt/flow.ts';
import type { NonEmpty, StoreBinding } from '../values/store-binding.ts';
import { systemClock, systemTimer } from '../platform/runtime.ts';
import { createMemoryCoordination } from '../platform/coordination/memory-coordination.ts';
import type { Coordination, EarlyState } from '../platform/coordination/coordination.port.ts';
import { keyNumber } from '../platform/keys/key-number.ts';
import { ShownKeysFile } from '../platform/keys/shown-keys-file.ts';
import type { KeysAmongInstances } from '../platform/keys/server-keys.port.ts';
import type { Random } from '../platform/runtime.port.ts';
import type { Store } from '../store/ports/store.port.ts';
import {
  hasDatabase,
  isFolderLocked,
  openSqliteService,
  openSqliteStore,
  serviceRunsError,
  StoreOpenError,
} from '../store/index.ts';
import { auditKeysOf } from '../platform/keys/audit-keys.ts';
import { operatorNeeds, type StoreNeeds } from './store-needs.ts';

/** A store, and the check that lets it be used. */
export interface OpenedStore {
  readonly store: Store;
  /** The state that all instances with this store share. */
  readonly coordination: Coordination;
  /** Null where nobody else uses the store. */
  readonly keysAmongInstances?: KeysAmongInstances | null;
  /**
   * Runs the check, which throws when this is not the store of this service. While a database
   * server is away it is run later, and the store refuses everything until then.
   */
  readonly admit: (check: (store: Store, early: EarlyState) => Promise<void>) => Promise<void>;
}

/** A store that can be used at once and that no other instance uses: what instances share is in memory. */
export function withMemoryCoordination(store: Store): OpenedStore {
  const coordination = createMemoryCoordination();
  return { store, coordination, admit: (check) => check(store, coordination) };
}

/** Opens the store for a service. Only one service can use a folder; many can use a database. */
export async function openServiceStore(needs: StoreNeeds): Promise<OpenedStore> {
  const { database } = needs.config;
  if (database === null) return openFile(needs);
  const { openPostgresInstance } = await import('./postgres.ts');
  return openPostgresInstance(database, needs, { isCommand: false, migrates: true });
}

async function openFile(needs: StoreNeeds): Promise<OpenedStore> {
  const { store, settled } = await openSqliteService(optionsOf(needs));
  const opened = withMemoryCoordination(store);
  if (needs.vault === null) return opened;
  try {
    return { ...opened, keysAmongInstances: shownInFolder(needs, settled) };
  } catch (error) {
    await store.close();
    throw error;
  }
}

/**
 * Shows commands beside the service what it writes with. The folder is locked, and nobody is asked
 * for anything yet.
 */
function shownInFolder({ config, keys }: StoreNeeds, settled: () => Promise<void>) {
  const file = new ShownKeysFile(config.dataDir);
  file.begin([keyNumber(keys.current)]);
  return {
    requireFit: null,
    show: async (writes: readonly Uint8Array[]) => file.show(writes.map(keyNumber)),
    settled,
  } satisfies KeysAmongInstances;
}

/**
 * The service on a folder, where it writes with another key than this one; empty where none runs, or
 * with this one.
 */
export function fileWriterWithOther({ dataDir, live }: Config, key: Uint8Array): string {
  // In simulator mode nothing is sealed.
  if (live === null || !isFolderLocked(dataDir)) return '';
  const shown = new ShownKeysFile(dataDir).read();
  if (shown === null) return `the service on ${dataDir}, which does not say with which it writes`;
  return shown.every((one) => one === keyNumber(key)) ? '' : `the service on ${dataDir}`;
}

/** For a caller that already holds the lock of DATA_DIR; the store is in a folder inside it. */
export async function openStoreInLockedFolder(
  needs: StoreNeeds,
  directory: string,
): Promise<Store> {
  return actingIn(needs, await openSqliteStore({ ...optionsOf(needs), directory, isLocked: true }));
}

function actingIn({ act }: StoreNeeds, store: Store): Store {
  return act === undefined ? store : store.by(act);
}

/** A store for a command that no service may use meanwhile. */
export interface StoreWithoutService {
  readonly store: Store;
  /**
   * Keeps the service from starting while `work` runs. A file is kept from it as long as it is open.
   * @throws Error that says which instances run
   */
  readonly alone: <Result>(work: () => Promise<Result>) => Promise<Result>;
}

/**
 * Opens a store for a command that works only without the service. Of a database server this is
 * not known before `alone`.
 * @throws Error when there is no store, and when a service uses the one in DATA_DIR
 */
export async function openStoreWithoutService(
  config: Config,
  random: Random,
  act: Act,
): Promise<StoreWithoutService> {
  const needs = operatorNeeds(config, random, act);
  if (config.database !== null) {
    return openDatabaseForCommand(needs, { migrates: false });
  }
  if (!hasDatabase(config.dataDir)) {
    throw new Error(`there is no store in ${config.dataDir}: set DATA_DIR`);
  }
  try {
    const store = actingIn(needs, await openSqliteStore(optionsOf(needs)));
    return { store, alone: (work) => work() };
  } catch (error) {
    const isLocked = error instanceof StoreOpenError && error.code === 'store.locked';
    throw isLocked ? serviceRunsError(config.dataDir, error) : error;
  }
}

/** Brings the schema of the database up to date, without starting a service. */
export async function migrateDatabase(config: Config, random: Random, act: Act): Promise<void> {
  if (config.database === null) {
    throw new Error(
      'DATABASE_URL is not set. A store in DATA_DIR is brought up to date by the next start',
    );
  }
  const needs = operatorNeeds(config, random, act);
  const { store } = await openDatabaseForCommand(needs, { migrates: true });
  await store.close();
}

/** A database that no service uses, perhaps of an earlier version: that is brought up to date. */
export function openDatabaseWithoutService(needs: StoreNeeds): Promise<StoreWithoutService> {
  return openDatabaseForCommand(needs, { migrates: true });
}

/** For a command: it does not wait for a database that is away. */
async function openDatabaseForCommand(
  needs: StoreNeeds,
  use: { readonly migrates: boolean },
): Promise<StoreWithoutService> {
  const { database } = needs.config;
  if (database === null) throw new Error('DATABASE_URL is not set');
  const { openPostgresInstance } = await import('./postgres.ts');
  const opened = openPostgresInstance(database, needs, { isCommand: true, ...use });
  const { store, admit } = opened;
  try {
    // What a command ends is compared with times of the instances, which follow this clock.
    await admit(async (_, { readTime }) => {
      if (readTime !== null) await systemClock.followDatabase(readTime);
    });
    const health = store.health();
    if (health.ready) return { store: actingIn(needs, store), alone: opened.alone };
    throw new Error(`the database of DATABASE_URL can't be used: ${health.reason}`);
  } catch (error) {
    await store.close();
    throw error;
  }
}

/**
 * Opens the store for a command, while a service uses it or not. @throws Error when there is no
 * data
 */
export async function openStoreForCommand(
  config: Config,
  random: Random,
  act: Act,
): Promise<Store> {
  const needs = operatorNeeds(config, random, act);
  if (config.database !== null) {
    return (await openDatabaseForCommand(needs, { migrates: false })).store;
  }
  return actingIn(needs, await openSqliteStore({ ...optionsOf(needs), asOperator: true }));
}

/** The mode and provider in the settings, which the store is checked against. */
export function bindingOf({ live }: Config): StoreBinding {
  if (live === null) return { mode: 'simulator', provider: null };
  const { url, pathPrefixes, issuers } = live;
  const provider = { url, pathPrefixes: both(pathPrefixes), issuers: both(issuers) };
  return { mode: modeOf(live), provider };
}

/**
 * What an empty store is named after is the same at each start, and whichever it is, the store gets
 * to know the other one.
 */
function both({ oidc, mfa }: ByFlow<string>): NonEmpty<string> {
  return oidc === mfa ? [oidc] : [oidc, mfa];
}

/**
 * With an unknown key stored people could not be read, and the next audit row would break the
 * chain. @throws Error that says what to do
 */
export async function requireKeys(store: Store): Promise<void> {
  if (await hasKeys(store)) return;
  throw new Error(
    'this store was written with a key that is neither SECRET_KEY nor one of RETIRED_SECRET_KEYS: ' +
      'add it there, or, if it is lost, give up what it sealed with `miftah keys abandon`',
  );
}

async function hasKeys(store: Store): Promise<boolean> {
  return (await store.countLost()) === 0 && (await store.canVerifyAudit());
}

function optionsOf({ config, keys, vault, onPoisoned, onLongLog, onBegin }: StoreNeeds) {
  return {
    directory: config.dataDir,
    vault,
    auditKeys: keys.derived(auditKeysOf),
    ...(onLongLog === undefined ? {} : { onLongLog }),
    ...(onBegin === undefined ? {} : { onBegin }),
    timer: systemTimer,
    onPoisoned: (reason: string) => onPoisoned(new Error(reason)),
  };
}
