import type { Store } from '../ports/store.port.ts';
import type { SqlParts } from './engine.ts';
import { attemptStore } from './stores/attempts.ts';
import { openidStore } from './stores/openid.ts';
import { operatorStore } from './stores/operator.ts';
import { personalDataStore } from './stores/personal-data.ts';
import { pushStore } from './stores/pushes.ts';
import { tokenStore } from './stores/tokens.ts';
import { transactionStore } from './stores/transactions.ts';
import { userStore } from './stores/users.ts';

/** The whole port over one database. */
export function createSqlStore(parts: SqlParts): Store {
  const { engine } = parts;
  return {
    ...attemptStore(parts),
    ...transactionStore(parts),
    ...userStore(parts),
    ...tokenStore(parts),
    ...pushStore(parts),
    ...personalDataStore(parts),
    ...openidStore(parts),
    ...operatorStore(parts),
    health: () => engine.health(),
    recover: () => engine.recover(),
    close: () => engine.close(),
  };
}
