import type { Config } from '../config.ts';
import { modeOf, type LiveConfig } from '../config/live.ts';
import type { StoreSeal } from '../domain/store-seal.ts';
import { keyedDigest } from '../domain/digest.ts';
import { keepPrivate } from '../platform/private-files.ts';
import { hasSecretKey, KEY_FILE, loadSecretKey } from '../platform/secret-key.ts';
import { createVault } from '../platform/vault.ts';
import type { Random } from '../ports/runtime.ts';
import type { Store } from '../ports/store.ts';
import type { Vault } from '../ports/vault.ts';
import { hasDatabase, openSqliteStore, STORE_FILES } from '../store/index.ts';

/** The server's secret, and what it was before. */
export interface ServerKeys {
  readonly current: Uint8Array;
  readonly retired: readonly Uint8Array[];
}

/** What a store is opened with. */
export interface StoreNeeds {
  readonly config: Config;
  readonly keys: ServerKeys;
  /** Null where people are invented, and stand in the clear. */
  readonly vault: Vault | null;
  readonly onPoisoned: (error: Error) => void;
  /** For the log: what an operator may have meant. */
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

/** The service's own: one for each folder. */
export function openServiceStore(needs: StoreNeeds): Promise<Store> {
  return openSqliteStore(optionsOf(needs));
}

/** For somebody who has the lock of the data folder, and works on a store in it. */
export function openStoreIn(needs: StoreNeeds, directory: string): Promise<Store> {
  return openSqliteStore({ ...optionsOf(needs), directory, isLocked: true });
}

/** Alone: not while the service runs. */
export function openStoreAlone(config: Config, random: Random): Promise<Store> {
  return openServiceStore(operatorNeeds(config, random));
}

/** For a command, beside the service or without it. @throws Error where there is no service's data */
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

/** Mode and provider of the settings, for the store to be held to. */
export function sealOf({ live }: Config): StoreSeal {
  if (live === null) return { mode: 'simulator', provider: null };
  const { url, pathPrefix, issuer } = live;
  return { mode: modeOf(live), provider: { url, pathPrefix, issuer } };
}

/**
 * With another key nobody who has signed in could be read, and the next row of the audit log would
 * break its chain. @throws Error that says what to do
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

function optionsOf({ config, keys, vault, onPoisoned }: StoreNeeds) {
  const [auditKey, ...retiredAuditKeys] = auditKeysOf(keys);
  return {
    directory: config.dataDir,
    vault,
    auditKey,
    retiredAuditKeys,
    onPoisoned: (reason: string) => onPoisoned(new Error(reason)),
  };
}

/** The current one first. */
export function auditKeysOf({ current, retired }: ServerKeys): [Uint8Array, ...Uint8Array[]] {
  return [auditKeyOf(current), ...retired.map(auditKeyOf)];
}

/** A key for each use: what proves the log opens no identity. */
function auditKeyOf(serverKey: Uint8Array): Uint8Array {
  return keyedDigest(serverKey, 'audit log');
}

/** A new key would not fit: what the old one proves, such as the audit log, could not be proved. */
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
