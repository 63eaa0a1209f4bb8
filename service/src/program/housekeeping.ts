import { Refusal } from '../domain/errors/refusal.ts';
import { SECOND_MS, type Ms } from '../domain/time.ts';
import { purge } from '../flow/purge.ts';
import { unreadiness } from '../flow/readiness.ts';
import { writeRepeated } from '../flow/report.ts';
import type { Tools } from '../flow/tools.ts';
import { createScheduler } from '../platform/scheduler.ts';
import type { Ground } from './mode.ts';

/** Short, because the salt of a redemption is to be gone when its minute has ended (decision 4). */
const PURGE_INTERVAL_MS = 5 * SECOND_MS;
/** How late a clock that was set, a disk that has space again, and a report of a minute are seen. */
const WATCH_INTERVAL_MS = SECOND_MS;

export interface Housekeeping {
  /** Writes down that the service has started; on a full disk, as soon as there is space. */
  recordStart(): Promise<void>;
  /** Writes down what is still to be reported, and that the service has stopped. */
  recordStop(): Promise<void>;
  stop(): Promise<void>;
}

/** What the service does without being asked. */
export function keepHouse(ground: Ground, tools: Tools): Housekeeping {
  const { config, clock, store, logger } = ground;
  const scheduler = createScheduler((error) => logger.error({ err: error }, 'housekeeping failed'));
  const watch = new Watch(ground);
  const purging = scheduler.every(PURGE_INTERVAL_MS, async () => {
    // The reason is in the log already, once.
    if (store.health().ready) await purge(store, config.retentionMs, clock.now());
  });
  const watching = scheduler.every(WATCH_INTERVAL_MS, () => watch.look());
  const reporting = scheduler.every(WATCH_INTERVAL_MS, async () => {
    if (store.health().ready && tools.repeated.isDue(clock.now())) await writeRepeated(tools);
  });
  return {
    recordStart: () => watch.recordStart(clock.now()),
    async recordStop() {
      await writeRepeated(tools);
      await store.recordEvent({ at: clock.now(), action: 'service.stopped' });
    },
    async stop() {
      await Promise.all([purging.stop(), watching.stop(), reporting.stop()]);
    },
  };
}

/** Has clock and store recover by themselves, and says in the log when the service is not ready. */
class Watch {
  readonly #ground: Ground;
  #reason: string | null = null;
  #startedAt: Ms | null = null;

  constructor(ground: Ground) {
    this.#ground = ground;
  }

  async recordStart(at: Ms): Promise<void> {
    this.#startedAt = at;
    await this.#writeStart();
    this.#report();
  }

  async look(): Promise<void> {
    this.#ground.timekeeper.follow();
    await this.#ground.store.recover();
    this.#report();
    await this.#writeStart();
  }

  async #writeStart(): Promise<void> {
    const at = this.#startedAt;
    if (at === null || !this.#ground.store.health().ready) return;
    try {
      await this.#ground.store.recordEvent({ at, action: 'service.started' });
      this.#startedAt = null;
    } catch (error) {
      if (!(error instanceof Refusal) || error.code !== 'storage.unavailable') throw error;
    }
  }

  #report(): void {
    const { store, timekeeper, logger } = this.#ground;
    const reason = unreadiness(store, timekeeper);
    const isNews = (reason === null) !== (this.#reason === null);
    this.#reason = reason;
    if (!isNews) return;
    if (reason === null) logger.info('ready again');
    else logger.error({ reason }, 'not ready');
  }
}
