import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  MemoryStore,
  openSqliteStore,
  StoreOpenError,
  type SqliteStoreOptions,
} from '../../src/store/index.ts';
import type { OpenedStore } from '../conformance/store-under-test.ts';

export async function openMemory(): Promise<OpenedStore> {
  const store = new MemoryStore();
  return { store, reopen: null, dispose: () => store.close() };
}

/** A store on a real file in a directory of its own. */
export async function openSqlite(options: Partial<SqliteStoreOptions> = {}): Promise<OpenedStore> {
  const directory = options.directory ?? makeDirectory();
  const open = () => openSqliteStore({ onPoisoned: failLoudly, ...options, directory });
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

/** Why something would not open, for tests to look at the code and the words. */
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
