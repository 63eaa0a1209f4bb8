import type { Store } from '../ports/store.port.ts';
import type { Act } from '../../audit/act.ts';
import { commandBy } from './audit-rows.ts';
import type { SqlEngine, SqlParts } from './engine.ts';
import { Receivers } from './receivers.ts';
import { attemptStore } from './stores/attempts.ts';
import { openidStore } from './stores/openid.ts';
import { operatorStore } from './stores/operator.ts';
import { outboxOf } from './stores/outbox.ts';
import { personalDataStore } from './stores/personal-data.ts';
import { pushStore } from './stores/pushes.ts';
import { tokenStore } from './stores/tokens.ts';
import { transactionStore } from './stores/transactions.ts';
import { userStore } from './stores/users.ts';

/** The whole port over one database. */
export function createSqlStore(parts: Omit<SqlParts, 'receivers'>): Store {
  return storeBy({ ...parts, receivers: new Receivers() }, null);
}

function storeBy(parts: SqlParts, act: Act | null): Store {
  const engine = act === null ? parts.engine : engineBy(parts.engine, act);
  return { ...storeOn({ ...parts, engine }), by: (other) => storeBy(parts, other) };
}

/** Every command that it runs has the act in its rows, so none can be left out. */
function engineBy(engine: SqlEngine, act: Act): SqlEngine {
  return {
    run: (command) => engine.run(commandBy(act, command)),
    read: (read) => engine.read(read),
    health: () => engine.health(),
    recover: () => engine.recover(),
    close: () => engine.close(),
  };
}

function storeOn(parts: SqlParts): Omit<Store, 'by'> {
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
    outbox: outboxOf(parts),
    health: () => engine.health(),
    recover: () => engine.recover(),
    close: () => engine.close(),
  };
}
