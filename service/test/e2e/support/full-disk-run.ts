import { ApiClient, Unanswered, type Answer, type Started } from './api-client.ts';
import { spawnService, startService, type ServiceProcess } from './service-process.ts';
import type { SmallDisk } from './small-disk.ts';
import { until } from './until.ts';

const AT_ONCE = 16;
/** The log is moved into the database file after 4,096 changes: the disk is filled just before. */
const BEFORE_CHECKPOINT = 3900;
const PAST_CHECKPOINT = 1200;
/** Room for the log to go on for a while, and none for the database file to grow by what is in it. */
const LEFT_BYTES = 1024 * 1024;

const LOG_LIMIT_MS = 10_000;
/** How the service ended before each start on a full disk. */
const ENDS = ['a kill', 'an orderly end'];
/** Attempts, at each look but the last. */
const LOOKED_AT = 300;

export interface FullDiskReport {
  readonly acknowledged: number;
  readonly refused: number;
  /** From the moment when there was space again to the one when /readyz said so, for each start. */
  readonly readyAfterMs: readonly number[];
  readonly faults: readonly string[];
}

/**
 * Fills the disk of a service before its first checkpoint and works on past it; then starts it on a
 * disk without a free byte, once after a kill and once after an orderly end, which leaves none of
 * SQLite's working files behind, and each time gives the space back. Whatever was answered with 200
 * has to be readable throughout, and the service has to find its way back by itself.
 */
export async function runFullDisk(
  disk: SmallDisk,
  ends: readonly string[] = ENDS,
): Promise<FullDiskReport> {
  const run = new FullDiskRun();
  const dataDir = `${disk.folder}/data`;
  const first = await startService({ dataDir });
  const started = [first];
  try {
    await run.startMany(first, BEFORE_CHECKPOINT);
    disk.fill(LEFT_BYTES);
    await run.startMany(first, PAST_CHECKPOINT);
    await run.expectReadOnly(first, 'after the disk filled up');
    await first.kill();
    const readyAfterMs: number[] = [];
    for (const end of ends) {
      disk.fill();
      const service = await spawnService({ dataDir });
      started.push(service);
      await run.expectReadOnly(service, `after ${end} and a start on a full disk`);
      readyAfterMs.push(await readyAfter(service, () => disk.free()));
      await run.startMany(service, AT_ONCE);
      await run.expectAll(service, LOOKED_AT);
      const { code } = await service.stop();
      if (code !== 0) run.faults.push(`the service ended with code ${code}`);
    }
    disk.free();
    await run.expectAll(await again(started, dataDir));
    return { ...run.figures(), readyAfterMs };
  } finally {
    for (const service of started) await service.kill();
  }
}

async function again(started: ServiceProcess[], dataDir: string): Promise<ServiceProcess> {
  const service = await startService({ dataDir });
  started.push(service);
  return service;
}

async function readyAfter(service: ServiceProcess, free: () => void): Promise<number> {
  const freed = performance.now();
  free();
  await service.ready().catch(async (cause: unknown) => {
    const answer = await fetch(`${service.origin}/readyz`).then((said) => said.text(), String);
    const about = /not ready|ready again|housekeeping/;
    const lines = service
      .stdout()
      .split('\n')
      .filter((line) => about.test(line));
    throw new Error(`not ready with space: ${answer}\n${lines.join('\n')}`, { cause });
  });
  return Math.round(performance.now() - freed);
}

class FullDiskRun {
  readonly faults: string[] = [];
  readonly #acknowledged: Started[] = [];
  #refused = 0;

  figures() {
    const faults = [...new Set(this.faults)];
    return { acknowledged: this.#acknowledged.length, refused: this.#refused, faults };
  }

  /** Each is acknowledged, or refused as a full disk has to be. */
  async startMany(service: ServiceProcess, count: number): Promise<void> {
    let left = count;
    await this.#atOnce(service, async (client) => {
      if (left-- <= 0) return false;
      const answer = await client.post('/start', { locale: 'en' });
      if (answer.status === 200) {
        this.#acknowledged.push((answer.json as { data: Started }).data);
      } else this.#expectRefusal(answer);
      return true;
    });
  }

  /** Writes are refused, /readyz says why, and all that was acknowledged can be read. */
  async expectReadOnly(service: ServiceProcess, when: string): Promise<void> {
    const client = new ApiClient(service.origin);
    try {
      await until(async () => !service.isRunning || (await isAnswered(client, '/livez')));
      const refusedBefore = this.#refused;
      await this.startMany(service, AT_ONCE);
      if (this.#refused === refusedBefore) this.faults.push(`${when}: writes were not refused`);
      const { status, text } = await client.send('GET', '/readyz');
      if (status !== 503 || !text.includes('no space')) {
        this.faults.push(`${when}: /readyz is ${status} ${text}`);
      }
      // At the next look of the service, which comes within a second.
      const limit = AbortSignal.timeout(LOG_LIMIT_MS);
      const isLogged = () => service.stdout().includes('no space');
      await until(() => isLogged() || limit.aborted);
      if (!isLogged()) this.faults.push(`${when}: the log says nothing`);
      await this.expectAll(service, LOOKED_AT);
    } catch (error) {
      const said = `${service.stdout()}${service.stderr()}`.slice(-500);
      this.faults.push(`${when}: ${String(error)}; it said last: ${said}`);
    } finally {
      client.close();
    }
  }

  /** The latest so many of them, or every one. */
  async expectAll(service: ServiceProcess, latest = Infinity): Promise<void> {
    const rest = this.#acknowledged.slice(-latest);
    await this.#atOnce(service, async (client) => {
      const attempt = rest.pop();
      if (attempt === undefined) return false;
      const { status } = await client.status(attempt);
      if (status !== 200) this.faults.push(`an acknowledged attempt is answered with ${status}`);
      return true;
    });
  }

  #expectRefusal({ status, headers, text }: Answer): void {
    this.#refused += 1;
    const isRight = status === 503 && text.includes('"storage.unavailable"');
    if (!isRight || headers['retry-after'] === undefined) {
      this.faults.push(`a write was answered with ${status}, not as one on a full disk`);
    }
  }

  async #atOnce(service: ServiceProcess, one: (client: ApiClient) => Promise<boolean>) {
    const workers = Array.from({ length: AT_ONCE }, async () => {
      const client = new ApiClient(service.origin);
      try {
        while (await one(client));
      } catch (error) {
        if (!(error instanceof Unanswered)) throw error;
        this.faults.push('a request was not answered: the service has ended');
      } finally {
        client.close();
      }
    });
    await Promise.all(workers);
  }
}

async function isAnswered(client: ApiClient, path: string): Promise<boolean> {
  try {
    return (await client.send('GET', path)).status === 200;
  } catch {
    return false;
  }
}
