import type { Timer } from '../../ports/runtime.ts';
import { StoreOpenError } from '../store-fault.ts';
import { Connector, type ConnectorOptions } from './connector.ts';
import {
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
  /** Called when the database has come, and can't be used by this version. */
  readonly onRefused: (error: StoreOpenError) => void;
}

/**
 * Brings the schema up to date before the store is used. The database may be away at the start: it
 * is tried again until it answers.
 */
export class Preparation {
  readonly #options: PreparationOptions;
  readonly #connector: Connector;
  #lack: string | null = 'the schema of the database was not checked yet';
  #stopWaiting: () => void = () => undefined;
  #isClosed = false;

  constructor(options: PreparationOptions) {
    this.#options = options;
    this.#connector = new Connector(options);
  }

  /** Why the store can't be used yet; null when it can. */
  get lack(): string | null {
    return this.#lack;
  }

  /** @throws StoreOpenError when the database answers and can't be used */
  async begin(): Promise<void> {
    try {
      await this.#prepare();
    } catch (error) {
      if (error instanceof StoreOpenError) throw error;
      this.#tryLater(error);
    }
  }

  close(): void {
    this.#isClosed = true;
    this.#stopWaiting();
  }

  async #prepare(): Promise<void> {
    const connection = await this.#connector.connect();
    try {
      const calls: MigrationConnection = { query: (call) => connection.query(call) };
      await (this.#options.migrates ? migratePostgres(calls) : requireCurrentPostgresSchema(calls));
      this.#lack = null;
    } finally {
      await connection.end().catch(() => undefined);
    }
  }

  #tryLater(error: unknown): void {
    if (this.#isClosed) return;
    this.#lack = error instanceof Error ? error.message : String(error);
    this.#stopWaiting = this.#options.timer.after(RETRY_MS, () => void this.#tryAgain());
  }

  async #tryAgain(): Promise<void> {
    try {
      await this.#prepare();
    } catch (error) {
      if (error instanceof StoreOpenError) this.#options.onRefused(error);
      this.#tryLater(error);
    }
  }
}
