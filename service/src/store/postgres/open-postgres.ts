import type { Coordination } from '../../ports/coordination.ts';
import {
  createPostgresCoordination,
  type PostgresCoordinationOptions,
} from './coordination/postgres-coordination.ts';
import {
  openPostgresStore,
  type PostgresStore,
  type PostgresStoreOptions,
} from './open-postgres-store.ts';

export interface PostgresOptions extends PostgresStoreOptions {
  readonly coordination: Pick<
    PostgresCoordinationOptions,
    'own' | 'random' | 'limitMs' | 'leaseMs' | 'waitMs'
  >;
}

export interface PostgresInstance extends PostgresStore {
  readonly coordination: Coordination;
}

/**
 * What one of many instances needs of the database: the store and the shared state, on the same
 * connections, which the store's `close` closes. Nothing is refused here (see `admit`).
 */
export function openPostgres(options: PostgresOptions): PostgresInstance {
  const opened = openPostgresStore(options);
  const coordination = createPostgresCoordination({
    ...options.coordination,
    pool: opened.pool,
    timer: options.timer,
    jitter: options.jitter,
    onWarning: options.onWarning ?? (() => undefined),
  });
  return { ...opened, coordination };
}
