import type { Config } from '../config.ts';
import { modeOf, type LiveConfig } from '../config/live.ts';
import type { StoreBinding } from '../domain/store-binding.ts';
import { keyedDigest } from '../domain/digest.ts';
import { keepPrivate } from '../platform/private-files.ts';
import { hasSecretKey, KEY_FILE, loadSecretKey } from '../platform/secret-key.ts';
import { createVault } from '../platform/vault.ts';
import type { Random } from '../ports/runtime.ts';
import type { Store } from '../ports/store/index.ts';
import type { Vault } from '../ports/vault.ts';
import { hasDatabase, openSqliteStore, STORE_FILES } from '../store/index.ts';

/** The server's secret and its earlier values. */
export interface ServerKeys {
  readonly current: Uint8Array;
  readonly retired: readonly Uint8Array[];
}

/** What is needed to open a store. */
export interface StoreNeeds {
  readonly config: Config;
  readonly keys: ServerKeys;
  /** Null in simulator mode: its people are invented, so nothing is sealed. */
  readonly vault: Vault | null;
  readonly onPoisoned: (error: Error) => void;
  /** Gets the bytes of the write-ahead log when it has become several times too long. */
  readonly onLongLog?: (bytes: number) => void;
  /** Called when a transaction begins. */
  readonly onBegin?: () => void;
  /** Gets the number of writes of each transaction. */
  readonly onCommit?: (units: number) => void;
  /** For the log: settings of the files that may be intended. */
  readonly warnings: readonly string[];
}

export function storeNeeds(
  config: Config,
  random: Random,
  onPoisoned: (error: Error) => void,
): StoreNeeds {
  const warnings = keepPrivate(config.dataDir, [KEY_FILE, ...STORE_FILES]);
  const keys = serverKeys(config, random);
  return {
    config,
    keys,
    vault: config.live === null ? null : createVault(keys, random),
    onPoisoned,
    warnings,
  };
}

/** Opens the store for a service. Only one service can use a folder. */
export function openServiceStore(needs: StoreNeeds): Promise<Store> {
  return openSqliteStore(optionsOf(needs));
}

/** For a caller that holds the lock of the data folder and works on a store inside it. */
export function openStoreIn(needs: StoreNeeds, directory: string): Promise<Store> {
  return openSqliteStore({ ...optionsOf(needs), directory, isLocked: true });
}

/** Opens the store only if no service uses it. */
export function openStoreAlone(config: Config, random: Random): Promise<Store> {
  return openServiceStore(operatorNeeds(config, random));
}

/**
 * Opens the store for a command, while a service uses it or not. @throws Error when there is no
 * data
 */
export async function openOperatorStore(config: Config, random: Random): Promise<Store> {
  return openSqliteStore({ ...optionsOf(operatorNeeds(config, random)), asOperator: true });
}

export function operatorNeeds(config: Config, random: Random): StoreNeeds {
  const { secretKey, dataDir } = config;
  if (secretKey === null && !hasSecretKey(dataDir)) {
    throw new Error(`${dataDir} is not the data folder of a service: set DATA_DIR`);
  }
  return storeNeeds(config, random, (error) => {
    throw error;
  });
}

/** The mode and provider in the settings, which the store is checked against. */
export function bindingOf({ live }: Config): StoreBinding {
  if (live === null) return { mode: 'simulator', provider: null };
  const { url, pathPrefix, issuer } = live;
  return { mode: modeOf(live), provider: { url, pathPrefix, issuer } };
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
  return (await store.countLost()) === 0 && (await store.knowsAudit());
}

function optionsOf({ config, keys, vault, onPoisoned, onLongLog, onBegin, onCommit }: StoreNeeds) {
  const [auditKey, ...retiredAuditKeys] = auditKeysOf(keys);
  return {
    directory: config.dataDir,
    vault,
    auditKey,
    retiredAuditKeys,
    ...(onLongLog === undefined ? {} : { onLongLog }),
    ...(onBegin === undefined ? {} : { onBegin }),
    ...(onCommit === undefined ? {} : { onCommit }),
    onPoisoned: (reason: string) => onPoisoned(new Error(reason)),
  };
}

/** The current key comes first. */
export function auditKeysOf({ current, retired }: ServerKeys): [Uint8Array, ...Uint8Array[]] {
  return [auditKeyOf(current), ...retired.map(auditKeyOf)];
}

/** Each use has its own key: the key of the audit log can't open identities. */
function auditKeyOf(serverKey: Uint8Array): Uint8Array {
  return keyedDigest(serverKey, 'audit log');
}

/**
 * A database without its key must not get a new one: the old key proves its audit log. @throws
 * Error
 */
function requireKeyOf(dataDir: string): void {
  if (hasSecretKey(dataDir) || !hasDatabase(dataDir)) return;
  throw new Error(
    `there is a database in ${dataDir}, and not the key that it was written with: restore ` +
      `${KEY_FILE}, set SECRET_KEY, or move the database away to begin anew`,
  );
}

export function serverKeys(config: Config, random: Random): ServerKeys {
  const { secretKey, dataDir, live } = config;
  if (secretKey === null) requireKeyOf(dataDir);
  const current =
    secretKey === null ? loadSecretKey(dataDir, random) : Buffer.from(secretKey.reveal(), 'hex');
  return { current, retired: retiredOf(live) };
}

function retiredOf(live: LiveConfig | null): readonly Uint8Array[] {
  return live?.retiredKeys.map((key) => Buffer.from(key.reveal(), 'hex')) ?? [];
}
