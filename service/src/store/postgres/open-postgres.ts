import type { Coordination, EarlyState } from '../../platform/coordination/coordination.port.ts';
import type { Store } from '../ports/store.port.ts';
import { PostgresNotifier } from './coordination/postgres-notifier.ts';
import { SharedDatabase } from './coordination/shared-database.ts';
import {
  createPostgresCoordination,
  earlyState,
  instanceName,
  type PostgresCoordinationOptions,
} from './coordination/postgres-coordination.ts';
import type { MemberKeys } from './presence/presence.ts';
import {
  openPostgresStore,
  type PostgresStore,
  type PostgresStoreOptions,
} from './open-postgres-store.ts';

export interface PostgresOptions extends PostgresStoreOptions {
  readonly coordination: Pick<
    PostgresCoordinationOptions,
    'own' | 'clock' | 'random' | 'limitMs' | 'leaseMs' | 'waitMs'
  >;
}

export interface PostgresInstance extends Pick<PostgresStore, 'store' | 'alone'> {
  readonly keys: {
    requireFit(keys: MemberKeys): Promise<void>;
    show(keys: MemberKeys): Promise<void>;
    settled(): Promise<void>;
  };
  readonly coordination: Coordination;
  /** As that of the store; the check may use the early part of the shared state too. */
  readonly admit: (check: (store: Store, early: EarlyState) => Promise<void>) => Promise<void>;
}

/**
 * What one of many instances needs of the database: the store and the shared state, on the same
 * connections but for the notifier's; the store's `close` closes all. Nothing is refused here (see `admit`).
 */
export function openPostgres(options: PostgresOptions): PostgresInstance {
  const opened = openPostgresStore(options);
  const notifier = new PostgresNotifier({
    ...opened.line,
    database: new SharedDatabase(opened.pool),
    instance: instanceName(options.coordination.random),
  });
  const coordination = createPostgresCoordination({
    ...options.coordination,
    pool: opened.pool,
    notifier,
    timer: options.timer,
    jitter: options.jitter,
    onWarning: options.onWarning ?? (() => undefined),
  });
  const early = earlyState(new SharedDatabase(opened.unchecked));
  const { admit, alone } = opened;
  const keys = {
    ...opened.keys,
    show: (shown: MemberKeys) => opened.keys.show(shown, () => notifier.renew()),
  };
  const close = async () => {
    await Promise.all([notifier.close(), opened.store.close()]);
  };
  const store = { ...opened.store, close };
  return {
    store,
    coordination,
    keys,
    alone,
    admit: (check) => admit((unchecked) => check(unchecked, early)),
  };
}
