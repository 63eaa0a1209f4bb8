import type { Act } from '../../src/audit/act.ts';
import { Refusal } from '../../src/errors/refusal.ts';
import type { Store } from '../../src/store/ports/store.port.ts';
import { attemptStore } from './attempts.ts';
import { openidStore } from './openid.ts';
import { operatorStore } from './operator.ts';
import { NO_OUTBOX } from './outbox.ts';
import { personalDataStore } from './personal-data.ts';
import { pushStore } from './pushes.ts';
import { emptyTables, type ModelOptions, type Tables } from './tables.ts';
import { tokenStore } from './tokens.ts';
import { transactionStore } from './transactions.ts';
import { userStore } from './users.ts';

export type { ModelOptions } from './tables.ts';

/**
 * The port on maps: what the stores are compared with. Each method runs in one step of the event
 * loop, so methods can't interleave. It shares no SQL with the stores. Nothing is sealed.
 */
export function createModelStore(options: ModelOptions = {}): Store {
  return storeOn({ tables: emptyTables(options), isClosed: false }, null);
}

interface Kept {
  readonly tables: Tables;
  isClosed: boolean;
}

function storeOn(kept: Kept, act: Act | null): Store {
  const tables = (): Tables => {
    if (kept.isClosed) throw new Refusal('storage.unavailable');
    kept.tables.audit.act = act;
    return kept.tables;
  };
  return {
    ...attemptStore(tables),
    ...transactionStore(tables),
    ...userStore(tables),
    ...tokenStore(tables),
    ...pushStore(tables),
    ...personalDataStore(tables),
    ...openidStore(tables),
    ...operatorStore(tables),
    outbox: NO_OUTBOX,
    by: (other) => storeOn(kept, other),
    health: () =>
      kept.isClosed ? { ready: false, reason: 'the store is closed' } : { ready: true },
    recover: async () => {
      // A lack of memory is never temporary, so there is nothing to recover from.
    },
    close: async () => {
      kept.isClosed = true;
    },
  };
}
