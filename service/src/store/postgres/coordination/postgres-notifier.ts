import { parseAttemptId, type AttemptId } from '../../../values/ids.ts';
import type {
  AttemptNotifier,
  NoticeListener,
} from '../../../platform/coordination/coordination.port.ts';
import { SharedCalls } from '../commands/shared-calls.ts';
import { ListenConnection, CHANNEL, type ListenOptions } from './listen-connection.ts';
import type { SharedDatabase } from './shared-database.ts';

/**
 * A payload of NOTIFY has less than 8000 bytes. An id has 36, and a space before it; the name of the
 * instance comes first. One call at a time, so that those of a busy time share the next one.
 */
const CALLS = { shared: 200, underWay: 1 };
/** While the database answers slowly. Further notices are lost. */
const MOST_WAITING = 5000;

/**
 * NOTIFY gives its transaction a number, so its commit would wait for the disk, and for a
 * synchronous standby, while it holds a lock that all transactions with NOTIFY take. Nothing of it
 * has to be kept.
 */
const NOTIFY = `SELECT set_config('synchronous_commit', 'off', true), pg_notify('${CHANNEL}', $1)`;

export interface PostgresNotifierOptions extends ListenOptions {
  readonly database: Pick<SharedDatabase, 'read'>;
  /** Of this instance, without a space. What it sent itself is not heard again. */
  readonly instance: string;
}

/**
 * Notices go out as NOTIFY, after the change and outside of its transaction. The connection that hears
 * those of others is opened for the first listener.
 */
export class PostgresNotifier implements AttemptNotifier {
  readonly #options: PostgresNotifierOptions;
  readonly #listeners = new Set<NoticeListener>();
  readonly #waiting = new Set<AttemptId>();
  readonly #calls = new SharedCalls<AttemptId>((shared) => this.#send(shared), CALLS);
  #line: ListenConnection | null = null;
  #isClosed = false;

  constructor(options: PostgresNotifierOptions) {
    this.#options = options;
  }

  notify(attemptId: AttemptId): void {
    this.#tell(attemptId);
    if (this.#waiting.has(attemptId) || this.#waiting.size >= MOST_WAITING) return;
    this.#waiting.add(attemptId);
    this.#calls.add(attemptId);
  }

  listen(listener: NoticeListener): () => void {
    this.#listeners.add(listener);
    if (!this.#isClosed) {
      this.#line ??= new ListenConnection(this.#options, {
        onPayload: (payload) => this.#hear(payload),
        onListening: () => this.#tellAny(),
      });
    }
    return () => void this.#listeners.delete(listener);
  }

  /** As that of a ConnectionPool. */
  async renew(): Promise<void> {
    await this.#line?.renew();
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#line?.close();
  }

  /** A call that fails is not repeated: whoever waits also reads without a notice. */
  async #send(shared: readonly AttemptId[]): Promise<void> {
    for (const attemptId of shared) this.#waiting.delete(attemptId);
    const payload = [this.#options.instance, ...shared].join(' ');
    await this.#options.database.read('notify', NOTIFY, [payload]).catch(() => undefined);
  }

  /** Whoever may connect to the database can send anything to the channel, up to 8000 bytes. */
  #hear(payload: string): void {
    const [sender, ...ids] = payload.split(' ');
    if (sender === this.#options.instance) return;
    for (const text of ids) {
      const attemptId = parseAttemptId(text);
      if (attemptId !== null) this.#tell(attemptId);
    }
  }

  #tell(attemptId: AttemptId): void {
    for (const { onAttempt } of this.#listeners) onAttempt(attemptId);
  }

  #tellAny(): void {
    for (const { onAny } of this.#listeners) onAny();
  }
}
