import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  createMemoryStore,
  openSqliteStore,
  StoreOpenError,
  type SqliteStoreOptions,
} from '../../../src/store/index.ts';
import { createRandom, systemTimer } from '../../../src/platform/runtime.ts';
import { createVault } from '../../../src/platform/keys/vault.ts';
import type { Vault } from '../../../src/platform/keys/vault.port.ts';
import type { Store } from '../../../src/store/ports/store.port.ts';
import { createModelStore, type ModelOptions } from '../../model/model-store.ts';
import type { OpenedStore } from '../../conformance/store-under-test.ts';

export async function openMemory(): Promise<OpenedStore> {
  return passing(createMemoryStore());
}

/** The rules of the port on maps, which the stores are compared with. */
export async function openModel(options?: ModelOptions): Promise<OpenedStore> {
  return passing(createModelStore(options));
}

function passing(store: Store): OpenedStore {
  return { store, reopen: null, dispose: () => store.close() };
}

/** A store with a real file in a new folder. */
export async function openSqlite(options: Partial<SqliteStoreOptions> = {}): Promise<OpenedStore> {
  const directory = options.directory ?? makeDirectory();
  const open = () =>
    openSqliteStore({ onPoisoned: failLoudly, timer: systemTimer, ...options, directory });
  let store = await open();
  const first = store;
  return {
    store: first,
    reopen: async () => (store = await open()),
    dispose: async () => {
      await store.close();
      rmSync(directory, { recursive: true });
    },
  };
}

/** The numbers identify secrets: the same number is the same secret. */
export function testVault(current: number, ...retired: number[]): Vault {
  const secrets = [current, ...retired].map((number) => Buffer.alloc(32, number));
  return createVault({ current: secrets[0] ?? NONE, retired: secrets.slice(1) }, createRandom());
}

const NONE = new Uint8Array();

/** The error of a failed opening, so that tests can check its code and message. */
export async function openErrorOf(opening: Promise<unknown>): Promise<StoreOpenError> {
  const error: unknown = await opening.catch((reason: unknown) => reason);
  if (error instanceof StoreOpenError) return error;
  throw new Error('it was not refused as a store that can not be opened', { cause: error });
}

export function makeDirectory(): string {
  return mkdtempSync(join(tmpdir(), 'miftah-store-'));
}

function failLoudly(reason: string): never {
  throw new Error(`the store was poisoned: ${reason}`);
}
