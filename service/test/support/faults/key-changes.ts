import { KeyFiles, linesOf, READ_ANEW, STAYS } from '../live/key-files.ts';
import { ApiClient } from '../programs/api-client.ts';
import { startService, type ServiceProcess } from '../programs/service-process.ts';
import { until } from '../programs/until.ts';
import { checkHistory } from './check-history.ts';
import { checkStore } from './check-store.ts';
import { History } from './history.ts';
import { untilIdle } from './instances-under-load.ts';
import { seededRandom } from './seeded-random.ts';
import { factsOfPostgres } from './store-facts.ts';
import { runTraffic } from './traffic.ts';

const INSTANCES = 2;
const WRITERS = 12;
/** A step waits for seconds until all instances are seen. Each answer is checked afterwards. */
const REQUESTS_PER_SECOND = 20;
/** Answers between two restarts, so that each combination of keys works under load. */
const ANSWERS_BETWEEN = 20;
/** For one change of one instance. */
const MOST_SIGNALS = 5;

export interface Keys {
  readonly SECRET_KEY: string;
  readonly RETIRED_SECRET_KEYS?: string;
}

/**
 * Two instances under load; one after the other gets the keys of the next step, by a restart or in
 * its files by SIGHUP, until all have those of the last one.
 */
export class KeyChanges {
  history = new History();
  readonly #url: string;
  readonly #seed: number;
  /** Of each instance; null where keys are in the environment, and a restart changes them. */
  readonly #files: readonly KeyFiles[] | null;
  #instances: ServiceProcess[] = [];

  constructor(url: string, seed: number, by: 'restarts' | 'SIGHUP' = 'restarts') {
    this.#url = url;
    this.#seed = seed;
    const files = Array.from({ length: INSTANCES }, () => new KeyFiles());
    this.#files = by === 'SIGHUP' ? files : null;
  }

  async start(keys: Keys): Promise<void> {
    const starting = Array.from({ length: INSTANCES }, (_, place) => {
      this.#write(place, keys);
      return startService(this.#options(place, keys));
    });
    this.#instances = await Promise.all(starting);
  }

  /** Goes through these steps under load, then checks all that was acknowledged meanwhile. */
  async change(steps: readonly Keys[]): Promise<void> {
    this.history = new History();
    let isOver = false;
    const traffic = runTraffic({
      origins: this.#instances.map(({ origin }) => origin),
      writers: WRITERS,
      history: this.history,
      random: seededRandom(this.#seed),
      isOver: () => isOver,
      perSecond: REQUESTS_PER_SECOND,
      retriesElsewhere: 'on new connections',
    });
    try {
      for (const keys of steps) {
        for (let place = 0; place < INSTANCES; place += 1) {
          await this.#answered();
          if (this.#files === null) await this.#replace(place, keys);
          else await this.#hangUp(place, keys);
        }
      }
      await this.#answered();
    } finally {
      isOver = true;
      await traffic;
    }
    await this.#look();
  }

  async close(): Promise<void> {
    await Promise.all(this.#instances.map((instance) => instance.kill()));
  }

  async #replace(place: number, keys: Keys): Promise<void> {
    const old = this.#instances[place];
    if (old === undefined) throw new Error('there is no such instance');
    await old.stop();
    const { dataDir, port } = old;
    this.#instances[place] = await startService({ ...this.#options(place, keys), dataDir, port });
  }

  /**
   * A busy machine may not see in time what the other instance knows. Then everything stays as it was,
   * and the operator sends the signal again.
   */
  async #hangUp(place: number, keys: Keys): Promise<void> {
    const service = this.#instances[place];
    if (service === undefined) throw new Error('there is no such instance');
    this.#write(place, keys);
    const told = (message: string) => linesOf(service.stdout(), message);
    const before = told(READ_ANEW).length;
    for (let time = 0; told(READ_ANEW).length === before; time += 1) {
      const refused = told(STAYS);
      if (time === MOST_SIGNALS) throw new Error(`no new keys: ${refused.at(-1)?.reason}`);
      service.signal('SIGHUP');
      await until(() => told(READ_ANEW).length > before || told(STAYS).length > refused.length);
    }
  }

  #write(place: number, { SECRET_KEY, RETIRED_SECRET_KEYS = '' }: Keys): void {
    this.#files?.[place]?.write(SECRET_KEY, RETIRED_SECRET_KEYS);
  }

  async #look(): Promise<void> {
    const { history } = this;
    await untilIdle(this.#url);
    const clients = this.#instances.map(({ origin }) => new ApiClient(origin));
    await checkHistory({ clients, history }, history.attempts);
    for (const client of clients) client.close();
    checkStore(history, await factsOfPostgres(this.#url));
  }

  async #answered(): Promise<void> {
    const enough = this.history.answers + ANSWERS_BETWEEN;
    await until(() => this.history.answers >= enough);
  }

  #options(place: number, keys: Keys) {
    return { settings: { DATABASE_URL: this.#url, ...keys, ...this.#files?.[place]?.settings } };
  }
}
