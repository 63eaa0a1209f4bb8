import { setTimeout as wait } from 'node:timers/promises';
import { residentMemory } from '../attacks/unread/crowd.ts';
import { freeze } from '../postgres/freeze.ts';
import type { PostgresPair } from '../postgres/pair.ts';
import type { PostgresServer } from '../postgres/server.ts';
import { ApiClient, type Answer } from '../programs/api-client.ts';
import type { ServiceProcess } from '../programs/service-process.ts';
import { until } from '../programs/until.ts';
import type { InstancesUnderLoad } from './instances-under-load.ts';
import { withClient } from '../postgres/connection.ts';

const MEGABYTE = 1024 * 1024;
const BETWEEN_ENDS_MS = 200;
const PROBE_MS = 100;
const END_ALL = `SELECT count(pg_terminate_backend(pid))::int AS ended FROM pg_stat_activity
  WHERE datname = current_database() AND pid <> pg_backend_pid()`;

/** Ends all connections to the database of the URL every 200 ms. @returns how many were ended */
export async function endBackends(
  load: InstancesUnderLoad,
  url: string,
  forMs: number,
): Promise<{ rounds: number; ended: number }> {
  let [rounds, ended] = [0, 0];
  await withClient(url, (client) =>
    load.during(async () => {
      const end = performance.now() + forMs;
      // On a slow machine an instance may not be back in time for each round.
      for (; performance.now() < end || ended <= rounds; rounds += 1) {
        const { rows } = await client.query<{ ended: number }>(END_ALL);
        ended += rows[0]?.ended ?? 0;
        await wait(BETWEEN_ENDS_MS);
      }
      await load.untilWritable();
    }),
  );
  await load.look(url);
  return { rounds, ended };
}

export interface Outage {
  /** From the end of the outage until each instance had acknowledged a write, in ms. */
  readonly recoveryMs: number;
  /** How much the resident memory of an instance grew at most, in megabytes. */
  readonly grownMb: number;
  /** The slowest answer of `/livez` meanwhile, in ms. */
  readonly livezMs: number;
}

/** The server is stopped, so that connections are refused, or frozen, so that nothing answers. */
export async function takeAway(
  load: InstancesUnderLoad,
  server: PostgresServer,
  way: 'stopped' | 'frozen',
  forMs: number,
): Promise<Outage> {
  const watch = new Watch(load.instances);
  let recoveryMs = 0;
  await watch.begin();
  await load.during(async () => {
    const bringBack = way === 'frozen' ? await freeze(server.url) : await stop(server);
    await watch.during(forMs);
    await bringBack();
    recoveryMs = await load.untilWritable();
  });
  await load.look(server.url);
  load.history.violations.push(...watch.violations);
  return { recoveryMs, grownMb: watch.grownMb, livezMs: watch.livezMs };
}

async function stop(server: PostgresServer): Promise<() => Promise<void>> {
  await server.stop();
  return () => server.start();
}

/**
 * The only synchronous standby ends under load. Until it is back no write may be acknowledged, and
 * none may wait for ever.
 */
export async function loseStandby(load: InstancesUnderLoad, pair: PostgresPair): Promise<number> {
  await pair.setSynchronous(true);
  const { history } = load;
  let recoveryMs = 0;
  await load.during(async () => {
    await pair.standby.stop();
    const { unavailable } = history;
    await until(() => history.unavailable > unavailable);
    // What was committed before the standby ended has been answered by now.
    const { length } = history.attempts;
    const probes = await Promise.all(load.instances.map(tryToStart));
    for (const { status, text } of probes) {
      if (status !== 503) history.violations.push(`without its standby: ${status} ${text}`);
    }
    if (history.attempts.length > length) history.violations.push('acknowledged by one server');
    await pair.standby.start();
    recoveryMs = await load.untilWritable();
  });
  await load.look(pair.primary.url);
  return recoveryMs;
}

async function tryToStart({ origin }: ServiceProcess): Promise<Answer> {
  const client = new ApiClient(origin, { keepAlive: false });
  return client.post('/start', { locale: 'en' });
}

/** What the instances say of themselves, and how much memory they use. */
class Watch {
  readonly violations: string[] = [];
  readonly #instances: readonly ServiceProcess[];
  #before: readonly number[] = [];
  grownMb = 0;
  livezMs = 0;

  constructor(instances: readonly ServiceProcess[]) {
    this.#instances = instances;
  }

  async begin(): Promise<void> {
    this.#before = await this.#memory();
  }

  async during(forMs: number): Promise<void> {
    const end = performance.now() + forMs;
    const clients = this.#instances.map(({ origin }) => new ApiClient(origin));
    while (performance.now() < end) {
      for (const client of clients) await this.#askLivez(client);
      await wait(PROBE_MS);
    }
    for (const client of clients) client.close();
    const grown = (await this.#memory()).map((bytes, place) => bytes - (this.#before[place] ?? 0));
    this.grownMb = Math.round(Math.max(...grown) / MEGABYTE);
  }

  async #askLivez(client: ApiClient): Promise<void> {
    const began = performance.now();
    const { status } = await client.send('GET', '/livez');
    if (status !== 200) this.violations.push(`/livez was ${status} while the database was away`);
    this.livezMs = Math.max(this.livezMs, Math.round(performance.now() - began));
  }

  #memory(): Promise<number[]> {
    return Promise.all(this.#instances.map(({ pid }) => residentMemory(pid)));
  }
}
