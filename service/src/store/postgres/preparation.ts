import { Refusal } from '../../errors/refusal.ts';
import type { Timer } from '../../platform/runtime.port.ts';
import { StoreOpenError } from '../store-fault.ts';
import { ConnectionLost, unavailable } from './faults.ts';
import { Connector, type ConnectorOptions } from './connections/connector.ts';
import {
  MigrationLockTaken,
  migratePostgres,
  requireCurrentPostgresSchema,
  type MigrationConnection,
} from './migrations/migrate.ts';

/** How long to wait before the database is tried again. */
const RETRY_MS = 1000;

export interface PreparationOptions extends ConnectorOptions {
  readonly timer: Timer;
  /** Whether the schema is brought up to date, or only compared with this version's. */
  readonly migrates: boolean;
  /** Called when the database has come after the start, and may not be used. */
  readonly onRefused: (error: Error) => void;
}

/**
 * What happens before the store is used: the schema is brought up to date, and the program checks
 * that this is its store. The database may be away at the start: it is tried again until it answers.
 */
export class Preparation {
  readonly #options: PreparationOptions;
  readonly #connector: Connector;
  readonly #migrated = Promise.withResolvers<void>();
  #lack: string | null = 'the database was not checked yet';
  #stopWaiting: () => void = () => undefined;
  #isClosed = false;

  constructor(options: PreparationOptions) {
    this.#options = options;
    this.#connector = new Connector(options);
    // Perhaps no connection waits for it.
    this.#migrated.promise.catch(() => undefined);
  }

  /** Why the store can't be used yet; null when it can. */
  get lack(): string | null {
    return this.#lack;
  }

  /** What the server has refused, for the health of the store. */
  get refused(): Connector['refused'] {
    return this.#connector.refused;
  }

  /**
   * Resolves when the schema is this version's. Rejects when that will never be: a connection that
   * waits for it would keep the process.
   */
  get migrated(): Promise<void> {
    return this.#migrated.promise;
  }

  /** @throws Refusal `storage.unavailable` while the store can't be used yet */
  require(): void {
    if (this.#lack !== null) throw unavailable(this.#lack);
  }

  /**
   * Resolves when the store can be used, or the database is away.
   * @throws Error when the database answers and may not be used
   */
  async begin(check: () => Promise<void>): Promise<void> {
    try {
      await this.#prepare(check);
    } catch (error) {
      if (!isAway(error)) {
        this.#migrated.reject(error);
        throw error;
      }
      this.#tryLater(error, check);
    }
  }

  close(): void {
    this.#isClosed = true;
    this.#stopWaiting();
    this.#migrated.reject(unavailable('the store is closed'));
  }

  async #prepare(check: () => Promise<void>): Promise<void> {
    await this.#bringUpToDate();
    this.#migrated.resolve();
    await check();
    this.#lack = null;
  }

  async #bringUpToDate(): Promise<void> {
    const connection = await this.#connector.connect().catch((error: unknown) => {
      throw error instanceof StoreOpenError ? error : new DatabaseAway(messageOf(error));
    });
    try {
      const calls: MigrationConnection = { query: (call) => connection.query(call) };
      await (this.#options.migrates ? migratePostgres(calls) : requireCurrentPostgresSchema(calls));
    } finally {
      await connection.end().catch(() => undefined);
    }
  }

  #tryLater(error: unknown, check: () => Promise<void>): void {
    if (this.#isClosed) return;
    this.#lack = messageOf(error);
    this.#stopWaiting = this.#options.timer.after(RETRY_MS, () => void this.#tryAgain(check));
  }

  async #tryAgain(check: () => Promise<void>): Promise<void> {
    try {
      await this.#prepare(check);
    } catch (error) {
      if (isAway(error)) return this.#tryLater(error, check);
      this.#migrated.reject(error);
      this.#options.onRefused(toError(error));
    }
  }
}

class DatabaseAway extends Error {}

/** Whether it may work later without anybody's help. */
function isAway(error: unknown): boolean {
  if (PASSING_ERRORS.some((passing) => error instanceof passing)) return true;
  return error instanceof Refusal && PASSING.has(error.code);
}

const PASSING_ERRORS = [DatabaseAway, ConnectionLost, MigrationLockTaken];

const PASSING: ReadonlySet<string> = new Set([
  'storage.unavailable',
  'storage.outcome_unknown',
  'server.overloaded',
]);

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

function toError(error: unknown): Error {
  return error instanceof Error ? error : new Error(String(error));
}
