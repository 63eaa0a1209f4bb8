import type { Act } from '../audit/act.ts';
import type { Config } from '../config/config.ts';
import { closedFile, keepPrivate } from '../platform/files/private-files.ts';
import { hasSecretKey, KEY_FILE, loadSecretKey } from '../platform/keys/secret-key.ts';
import { SERVER_IDENTITY_FILE } from '../platform/keys/server-identity-file.ts';
import { SHOWN_KEYS_FILE } from '../platform/keys/shown-keys-file.ts';
import { ServerKeyring } from '../platform/keys/server-keyring.ts';
import type { ServerKeys } from '../platform/keys/server-keys.port.ts';
import { vaultOf } from '../platform/keys/vault.ts';
import { hasDatabaseFile, isCredential, rereadPassword } from '../config/source/reread.ts';
import { DatabasePassword } from '../store/postgres/connections/database-password.ts';
import type { StoreConnections } from '../operate/metrics/meter.port.ts';
import type { Clock, Random } from '../platform/runtime.port.ts';
import type { Vault } from '../platform/keys/vault.port.ts';
import { refuseForgottenDatabase } from '../operate/move/left-behind.ts';
import { FILES_IN_USE, hasDatabase, STORE_FILES } from '../store/index.ts';

/** What is needed to open a store. */
export interface StoreNeeds {
  readonly config: Config;
  readonly keys: ServerKeyring;
  /** Null where the store is a file. */
  readonly databasePassword: DatabasePassword | null;
  /** Null in simulator mode: its people are invented, so nothing is sealed. */
  readonly vault: Vault | null;
  readonly onPoisoned: (error: Error) => void;
  /** Gets the bytes of the write-ahead log when it has become several times too long. */
  readonly onLongLog?: (bytes: number) => void;
  /**
   * Called when a transaction begins. What it returns is called when that transaction was
   * committed, with the number of its writes.
   */
  readonly onBegin?: () => (units: number) => void;
  /** Gets the connections to a database server whenever they change. */
  readonly onConnections?: (connections: StoreConnections) => void;
  /** Of a service, if it follows that of the database; null for one that tests move. */
  readonly clock?: Clock | null;
  /** For the log: what puts acknowledged writes at risk in the settings of a database server. */
  readonly onWarning?: (text: string) => void;
  /** Who uses the store, and why; absent for a service. */
  readonly act?: Act;
  /** For the log: settings of the files that may be intended. */
  readonly warnings: readonly string[];
}

export function storeNeeds(
  config: Config,
  random: Random,
  onPoisoned: (error: Error) => void,
): StoreNeeds {
  const warnings = requireOwnFiles(config);
  const keys = new ServerKeyring(serverKeys(config, random));
  return {
    config,
    keys,
    databasePassword: databasePasswordOf(config),
    vault: config.live === null ? null : vaultOf(keys, random),
    onPoisoned,
    warnings,
  };
}

const OWN_FILES = [KEY_FILE, SERVER_IDENTITY_FILE, SHOWN_KEYS_FILE];

/** @returns warnings @throws Error where they are of another user, or of a service with a database */
export function requireOwnFiles(config: Config): readonly string[] {
  const { dataDir, database } = config;
  const warnings = keepPrivate(dataDir, [...OWN_FILES, ...STORE_FILES]);
  if (database === null) requireOpen(dataDir);
  return [...warnings, ...refuseForgottenDatabase(config)];
}

function databasePasswordOf(config: Config): DatabasePassword | null {
  const { database } = config;
  if (database === null) return null;
  const read = hasDatabaseFile(config) ? () => rereadPassword(config, database) : null;
  return new DatabasePassword(database.password, read, isCredential(config, 'DATABASE_URL'));
}

/** SQLite opens a file without the right to write, and refuses the first write. @throws Error */
function requireOpen(dataDir: string): void {
  const closed = closedFile(dataDir, FILES_IN_USE);
  if (closed !== null) throw new Error(`${closed.what}: ${closed.remedy}`);
}

/** What a command opens a store with: every row that it writes has the act. */
export function operatorNeeds(config: Config, random: Random, act: Act): StoreNeeds {
  const { secretKey, dataDir } = config;
  if (secretKey === null && !hasSecretKey(dataDir)) {
    throw new Error(
      `there is no secret key in ${dataDir}: set DATA_DIR to the folder of the service; in a new ` +
        'folder, set SECRET_KEY to the key of the store, or copy its secret.key there',
    );
  }
  const needs = storeNeeds(config, random, (error) => {
    throw error;
  });
  return { ...needs, act };
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
  const { secretKey, dataDir, retiredKeys } = config;
  if (secretKey === null) requireKeyOf(dataDir);
  const current =
    secretKey === null ? loadSecretKey(dataDir, random) : Buffer.from(secretKey.reveal(), 'hex');
  return { current, retired: retiredKeys.map((key) => Buffer.from(key.reveal(), 'hex')) };
}
