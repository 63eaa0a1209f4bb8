import { setTimeout as wait } from 'node:timers/promises';
import { ask } from '../postgres/databases.ts';
import { ApiClient, type Started } from '../programs/api-client.ts';
import { startService, type ServiceProcess } from '../programs/service-process.ts';
import { until } from '../programs/until.ts';
import { checkHistory } from './check-history.ts';
import { checkStore } from './check-store.ts';
import { sample } from './crash-cycles.ts';
import { History, type KnownAttempt } from './history.ts';
import { seededRandom, type SeededRandom } from './seeded-random.ts';
import { factsOfPostgres } from './store-facts.ts';
import { runTraffic, type Traffic } from './traffic.ts';

const WRITERS = 16;
const SECRET_KEY = 'ab'.repeat(32);
/** Answers before a fault and after it, so that it falls into the middle of the load. */
const ANSWERS_AROUND = 40;

const IDLE_POLL_MS = 10;
/** Connections of others that are in a statement or in a transaction. */
const BUSY = `SELECT count(*)::int AS busy FROM pg_stat_activity
  WHERE datname = current_database() AND pid <> pg_backend_pid() AND state <> 'idle'`;

/** By default each writer goes on at once. */
export type Pace = Pick<Traffic, 'perSecond'>;

/** As in `npm test`: what is more takes the processor, and the answers to all of it are checked. */
export const SHORT_LOAD: Pace = { perSecond: 200 };

/** Instances of one service on PostgreSQL, the load on them, and what it was told. */
export class InstancesUnderLoad {
  history = new History();
  readonly random: SeededRandom;
  readonly instances: readonly ServiceProcess[];

  readonly #pace: Pace;

  private constructor(instances: readonly ServiceProcess[], seed: number, pace: Pace) {
    this.random = seededRandom(seed);
    this.instances = instances;
    this.#pace = pace;
    this.startAnew();
  }

  /** One instance for each URL of the database. */
  static start(
    urls: readonly string[],
    seed: number,
    pace: Pace = {},
  ): Promise<InstancesUnderLoad> {
    return InstancesUnderLoad.startWith(
      urls.map((url) => ({ DATABASE_URL: url })),
      seed,
      pace,
    );
  }

  /** One instance for each of these settings. */
  static async startWith(
    all: readonly Readonly<Record<string, string>>[],
    seed: number,
    pace: Pace = {},
  ): Promise<InstancesUnderLoad> {
    const starting = all.map((settings) => startService({ settings: { SECRET_KEY, ...settings } }));
    return new InstancesUnderLoad(await Promise.all(starting), seed, pace);
  }

  /** Forgets what was acknowledged up to now. */
  startAnew(): void {
    this.history = new History();
  }

  /** Causes the fault under load, which ends when everybody has been answered after it. */
  async during(fault: () => Promise<void>): Promise<void> {
    const { history } = this;
    let isOver = false;
    const traffic = runTraffic({
      origins: this.instances.map(({ origin }) => origin),
      writers: WRITERS,
      history,
      random: this.random,
      isOver: () => isOver,
      ...this.#pace,
    });
    try {
      await this.#answered();
      history.isStoreAway = true;
      await fault();
      await this.#answered();
    } finally {
      isOver = true;
      await traffic;
      history.isStoreAway = false;
    }
  }

  /**
   * Waits until each instance has acknowledged a write.
   * @returns how long that took, in milliseconds
   */
  async untilWritable(): Promise<number> {
    const began = performance.now();
    await Promise.all(this.instances.map((instance) => this.#untilWritten(instance)));
    return Math.round(performance.now() - began);
  }

  /** Checks everything that is new, and some of the rest, against the answers and the rows. */
  async look(databaseUrl: string, attempts?: readonly KnownAttempt[]): Promise<void> {
    const { history } = this;
    await untilIdle(databaseUrl);
    const clients = this.instances.map(({ origin }) => new ApiClient(origin));
    await checkHistory({ clients, history }, attempts ?? sample(history.attempts, this.random));
    for (const client of clients) client.close();
    checkStore(history, await factsOfPostgres(databaseUrl));
  }

  async close(): Promise<void> {
    await Promise.all(this.instances.map((instance) => instance.kill()));
  }

  async #answered(): Promise<void> {
    const { history } = this;
    const enough = history.answers - history.unavailable + ANSWERS_AROUND;
    await until(() => history.answers - history.unavailable >= enough);
  }

  async #untilWritten({ origin }: ServiceProcess): Promise<void> {
    const client = new ApiClient(origin);
    for (;;) {
      const answer = await client.post('/start', { locale: 'en' });
      if (answer.status === 200) {
        this.history.add((answer.json as { data: Started }).data, 'oidc');
        break;
      }
      await wait(IDLE_POLL_MS);
    }
    client.close();
  }
}

/**
 * What a killed instance had sent is still carried out by the server: a COMMIT can take effect
 * after the instance was started again. Until then nobody knows what the requests did.
 */
export async function untilIdle(databaseUrl: string): Promise<void> {
  for (let busy = 1; busy > 0;) {
    const [row] = await ask<{ busy: number }>(databaseUrl, BUSY);
    busy = row?.busy ?? 0;
    if (busy > 0) await wait(IDLE_POLL_MS);
  }
}
