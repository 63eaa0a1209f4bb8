import { setTimeout as wait } from 'node:timers/promises';
import type { PostgresServer } from '../postgres/server.ts';
import { ApiClient } from '../programs/api-client.ts';
import { startService, type ServiceProcess } from '../programs/service-process.ts';
import { checkHistory } from './check-history.ts';
import { checkStore } from './check-store.ts';
import { reportOf, sample, someAnswersLater, type TrafficReport } from './crash-cycles.ts';
import { History, type KnownAttempt } from './history.ts';
import { untilIdle } from './instances-under-load.ts';
import { seededRandom, type SeededRandom } from './seeded-random.ts';
import { factsOfPostgres } from './store-facts.ts';
import { runTraffic } from './traffic.ts';

const INSTANCES = 2;
const WRITERS = 16;
/** Before the kill, and from there to the end of the traffic. */
const ANSWERS = { most: 120 };
/** How long the database is away, in ms. */
const AWAY_MS = { earliest: 20, latest: 140 };
/** In every second cycle the database itself is killed. */
const CYCLES_FOR_SERVER = 2;
const SECRET_KEY = 'ab'.repeat(32);

export interface PostgresKillReport extends TrafficReport {
  readonly serverKills: number;
  /** Requests that were answered with 503 while the database was away. */
  readonly unavailable: number;
  /** From each kill of the database until both instances were ready again. The start is in it. */
  readonly slowestRecoveryMs: number;
}

/**
 * Two instances on one database under load. Each cycle kills one of them, or the database, by
 * SIGKILL; afterwards everything that was ever acknowledged must be there.
 */
export async function runPostgresKills(
  server: PostgresServer,
  cycles: number,
  seed: number,
  onCycle: (done: number, history: History) => void = () => undefined,
): Promise<PostgresKillReport> {
  const run = new PostgresKills(server, seed);
  try {
    await run.open();
    for (let cycle = 1; cycle <= cycles && run.history.violations.length === 0; cycle += 1) {
      await run.cycle(cycle % CYCLES_FOR_SERVER === 0);
      onCycle(cycle, run.history);
    }
    await run.look(run.history.attempts);
    return run.report(cycles);
  } finally {
    await run.close();
  }
}

class PostgresKills {
  readonly history = new History();
  readonly #server: PostgresServer;
  readonly #random: SeededRandom;
  #instances: ServiceProcess[] = [];
  #serverKills = 0;
  #slowestRecoveryMs = 0;

  constructor(server: PostgresServer, seed: number) {
    this.#server = server;
    this.#random = seededRandom(seed);
  }

  async open(): Promise<void> {
    const started = Array.from({ length: INSTANCES }, () => startService(this.#options()));
    this.#instances = await Promise.all(started);
  }

  async close(): Promise<void> {
    await Promise.all(this.#instances.map((instance) => instance.kill()));
  }

  async cycle(isServer: boolean): Promise<void> {
    const { history } = this;
    let isOver = false;
    const traffic = runTraffic({
      origins: this.#instances.map(({ origin }) => origin),
      writers: WRITERS,
      history,
      random: this.#random,
      isOver: () => isOver,
    });
    await someAnswersLater(history, this.#random, ANSWERS);
    if (isServer) await this.#killServer();
    else await this.#killInstance();
    await someAnswersLater(history, this.#random, ANSWERS);
    isOver = true;
    await traffic;
    history.isStoreAway = false;
    await this.#restart();
    await this.look(sample(history.attempts, this.#random));
  }

  async look(attempts: readonly KnownAttempt[]): Promise<void> {
    const { history } = this;
    await untilIdle(this.#server.url);
    const clients = this.#instances.map(({ origin }) => new ApiClient(origin));
    await checkHistory({ clients, history }, attempts);
    for (const client of clients) client.close();
    checkStore(history, await factsOfPostgres(this.#server.url));
  }

  report(cycles: number): PostgresKillReport {
    return {
      ...reportOf(cycles, this.history),
      serverKills: this.#serverKills,
      unavailable: this.history.unavailable,
      slowestRecoveryMs: this.#slowestRecoveryMs,
    };
  }

  async #killInstance(): Promise<void> {
    await this.#random.pick(this.#instances).kill();
  }

  /** Ends when both instances use the database again, without having been restarted. */
  async #killServer(): Promise<void> {
    this.history.isStoreAway = true;
    this.#serverKills += 1;
    const killed = performance.now();
    await this.#server.kill();
    await wait(this.#random.between(AWAY_MS.earliest, AWAY_MS.latest));
    await this.#server.start();
    await Promise.all(this.#instances.map((instance) => instance.ready()));
    const recoveryMs = Math.round(performance.now() - killed);
    this.#slowestRecoveryMs = Math.max(this.#slowestRecoveryMs, recoveryMs);
  }

  async #restart(): Promise<void> {
    const again = this.#instances.map(async (instance) => {
      if (instance.isRunning) return instance;
      const { dataDir, port } = instance;
      return startService({ ...this.#options(), dataDir, port });
    });
    this.#instances = await Promise.all(again);
  }

  #options() {
    return { settings: { DATABASE_URL: this.#server.url, SECRET_KEY } };
  }
}
