import { createRandom, systemTimer } from '../../../src/platform/runtime.ts';
import type { Outbox, Store } from '../../../src/store/ports/store.port.ts';
import { parseDatabaseUrl } from '../../../src/store/postgres/connection-url.ts';
import {
  openPostgresStore,
  type PostgresStoreOptions,
} from '../../../src/store/postgres/open-postgres-store.ts';
import { CONNECT_MS, DEADLINE_MS, KeptIdentity } from './pool.ts';

const NO_KEY = new Uint8Array();

/** An instance's store in the database with this URL. */
export async function openInstance(
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
    auditKeys: () => [NO_KEY],
    migrates: true,
    membership: null,
    place: 'test',
    onRefused: (error) => {
      throw error;
    },
    connections: 4,
    deadlineMs: DEADLINE_MS,
    connectMs: CONNECT_MS,
    ...options,
  });
  await admit(async () => undefined);
  return store;
}

/** Several instances on one database, as one store: each call goes to the next of them. */
export async function openRotation(
  url: string,
  count: number,
  options: Partial<PostgresStoreOptions> = {},
): Promise<Store> {
  const instances = Array.from({ length: count }, () => openInstance(url, options));
  return inRotation(await Promise.all(instances));
}

function inRotation(stores: readonly Store[]): Store {
  const [first] = stores;
  if (first === undefined) throw new Error('there is no store');
  const close = async () => {
    await Promise.all(stores.map((store) => store.close()));
  };
  // All instances of a service have the same clients.
  const tellTo: Outbox['tellTo'] = (...receivers) => {
    for (const { outbox } of stores) outbox.tellTo(...receivers);
  };
  let calls = 0;
  return new Proxy(first, {
    get: (_, name): unknown => {
      if (name === 'close') return close;
      calls += 1;
      const next = stores[calls % stores.length] ?? first;
      return name === 'outbox' ? { ...next.outbox, tellTo } : Reflect.get(next, name);
    },
  });
}
