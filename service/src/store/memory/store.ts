import { Refusal } from '../../errors/refusal.ts';
import type { Store } from '../ports/store.port.ts';
import { attemptStore } from './attempts.ts';
import { operatorStore } from './operator.ts';
import { personalDataStore } from './personal-data.ts';
import { pushStore } from './pushes.ts';
import { emptyTables, type MemoryStoreOptions, type Tables } from './tables.ts';
import { tokenStore } from './tokens.ts';
import { transactionStore } from './transactions.ts';
import { userStore } from './users.ts';

export type { MemoryStoreOptions } from './tables.ts';

/**
 * The store in maps. Each method runs in one step of the event loop, so methods can't interleave.
 * Everything is lost when the process ends, so S-1 holds only until then. Nothing is written to a
 * disk, so nothing is sealed.
 */
export function createMemoryStore(options: MemoryStoreOptions = {}): Store {
  const kept = emptyTables(options);
  let isClosed = false;
  const tables = (): Tables => {
    if (isClosed) throw new Refusal('storage.unavailable');
    return kept;
  };
  return {
    ...attemptStore(tables),
    ...transactionStore(tables),
    ...userStore(tables),
    ...tokenStore(tables),
    ...pushStore(tables),
    ...personalDataStore(tables),
    ...operatorStore(tables),
    health: () => (isClosed ? { ready: false, reason: 'the store is closed' } : { ready: true }),
    recover: async () => {
      // A lack of memory is never temporary, so there is nothing to recover from.
    },
    close: async () => {
      isClosed = true;
    },
  };
}
