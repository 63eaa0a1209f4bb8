import type { Coordination, SharedNotes } from '../../ports/coordination.ts';
import type { Store } from '../../ports/store/index.ts';
import { PostgresNotes } from './coordination/postgres-notes.ts';
import { SharedDatabase } from './coordination/shared-database.ts';
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

export interface PostgresInstance extends Pick<PostgresStore, 'store'> {
  readonly coordination: Coordination;
  /** As that of the store; the check may use the notes of the running instances too. */
  readonly admit: (check: (store: Store, notes: SharedNotes) => Promise<void>) => Promise<void>;
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
  const notes = new PostgresNotes(new SharedDatabase(opened.unchecked));
  const { store, admit } = opened;
  return { store, coordination, admit: (check) => admit((unchecked) => check(unchecked, notes)) };
}
