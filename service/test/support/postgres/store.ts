import { createRandom } from '../../../src/platform/random.ts';
import { systemTimer } from '../../../src/platform/timer.ts';
import type { Store } from '../../../src/ports/store/index.ts';
import { parseDatabaseUrl } from '../../../src/store/postgres/connection-url.ts';
import {
  openPostgresStore,
  type PostgresStoreOptions,
} from '../../../src/store/postgres/open-postgres-store.ts';
import type { OpenedStore } from '../../conformance/store-under-test.ts';
import { migratedDatabase } from './databases.ts';
import { KeptIdentity } from './pool.ts';

const NO_KEY = new Uint8Array();

/** An instance's store in the database with this URL. */
async function openInstance(
  url: string,
  options: Partial<PostgresStoreOptions> = {},
): Promise<Store> {
  const random = createRandom();
  const { store, admit } = openPostgresStore({
    address: parseDatabaseUrl(url),
    identity: new KeptIdentity(),
    timer: systemTimer,
    jitter: () => Number(random.digits(6)) / 1_000_000,
    vault: null,
    auditKey: NO_KEY,
    migrates: true,
    onRefused: (error) => {
      throw error;
    },
    connections: 4,
    ...options,
  });
  await admit(async () => undefined);
  return store;
}

/** A store in a new database. */
export async function openPostgres(
  options: Partial<PostgresStoreOptions> = {},
): Promise<OpenedStore> {
  return openInstances(1, options);
}

/** Several instances on one new database; each call goes to the next of them. */
export async function openInstances(
  count: number,
  options: Partial<PostgresStoreOptions> = {},
): Promise<OpenedStore> {
  const atEnd: (() => void | Promise<void>)[] = [];
  const url = await migratedDatabase((release) => void atEnd.push(release));
  const open = async () =>
    inRotation(await Promise.all(Array.from({ length: count }, () => openInstance(url, options))));
  let store = await open();
  return {
    store,
    reopen: async () => (store = await open()),
    dispose: async () => {
      await store.close();
      for (const release of atEnd) await release();
    },
  };
}

/** One store whose calls go to several stores, one after the other. */
function inRotation(stores: readonly Store[]): Store {
  const [first] = stores;
  if (first === undefined) throw new Error('there is no store');
  const close = async () => {
    await Promise.all(stores.map((store) => store.close()));
  };
  let calls = 0;
  return new Proxy(first, {
    get: (_, name): unknown => {
      if (name === 'close') return close;
      calls += 1;
      return Reflect.get(stores[calls % stores.length] ?? first, name);
    },
  });
}
