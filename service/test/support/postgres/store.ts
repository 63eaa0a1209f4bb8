import type { PostgresStoreOptions } from '../../../src/store/postgres/open-postgres-store.ts';
import type { Store } from '../../../src/store/ports/store.port.ts';
import type { OpenedStore, OpenStore } from '../../conformance/store-under-test.ts';
import type { AtEnd } from '../at-end.ts';
import { openRotation } from './instances.ts';
import { lendDatabase, type LentDatabase } from './lent-databases.ts';

interface Idle {
  readonly store: Store;
  readonly database: LentDatabase;
}

/**
 * Gives stores with nothing in them: several instances on one database, whose calls go to the next
 * of them. A store that a test did not close serves the next test, because to connect takes longer
 * than most tests. All are closed at the end.
 */
export function postgresStores(
  count: number,
  atEnd: AtEnd,
  options: Partial<PostgresStoreOptions> = {},
): OpenStore {
  const idle: Idle[] = [];
  atEnd(async () => {
    for (const { store, database } of idle.splice(0)) {
      await store.close();
      database.giveBack();
    }
  });
  return async () => {
    const { store, database } = await takeOrOpen(idle, count, options);
    return opened(store, database, () => openRotation(database.url, count, options), idle);
  };
}

async function takeOrOpen(
  idle: Idle[],
  count: number,
  options: Partial<PostgresStoreOptions>,
): Promise<Idle> {
  const known = idle.pop();
  if (known !== undefined) {
    await known.database.empty();
    return known;
  }
  const database = await lendDatabase();
  return { store: await openRotation(database.url, count, options), database };
}

function opened(
  first: Store,
  database: LentDatabase,
  openAgain: () => Promise<Store>,
  idle: Idle[],
): OpenedStore {
  let store = first;
  return {
    store,
    reopen: async () => (store = await openAgain()),
    dispose: async () => {
      if (store.health().ready) idle.push({ store, database });
      else database.giveBack();
    },
  };
}
