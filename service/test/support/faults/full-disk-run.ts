import { ApiClient, Unanswered, type Answer, type Started } from '../programs/api-client.ts';
import { spawnService, startService, type ServiceProcess } from '../programs/service-process.ts';
import type { SmallDisk } from './small-disk.ts';
import { until } from '../programs/until.ts';

const AT_ONCE = 16;
/** The number of attempts that makes the log much larger than the database file. */
const BEFORE_FULL = 500;
const PAST_FULL = 400;
/** Space for some more writes to the log, but not for all of `PAST_FULL`. */
const LEFT_BYTES = 256 * 1024;
/** The number of writes after a start with a few free pages, until the service is read-only. */
const MOST_TRIES = 20;

const LOG_LIMIT_MS = 120_000;
/** The number of attempts that are read at each check except the last. */
const LOOKED_AT = 300;

/** A start on a full disk: how the service ended before it, and how much space was free then. */
export interface FullStart {
  readonly after: 'a kill' | 'an orderly end';
  readonly leftBytes: number;
}

/** An orderly end removes SQLite's temporary files; a kill leaves all of them. */
export function startsAfterEachEnd(leftBytes: number): readonly FullStart[] {
  return [
    { after: 'a kill', leftBytes },
    { after: 'an orderly end', leftBytes },
  ];
}

export interface FullDiskReport {
  readonly acknowledged: number;
  readonly refused: number;
  /** For each start, the time from when space was freed until /readyz said ready. */
  readonly readyAfterMs: readonly number[];
  readonly faults: readonly string[];
}

/**
 * Fills the disk of a running service while it gets requests, then starts it on a full disk once
 * per entry of `starts`, and frees the space each time. Everything that was answered with 200 must
 * stay readable, and the service must become ready by itself.
 */
export async function runFullDisk(
  disk: SmallDisk,
  starts: readonly FullStart[],
): Promise<FullDiskReport> {
  const run = new FullDiskRun();
  const dataDir = `${disk.folder}/data`;
  let service = await startService({ dataDir });
  try {
    await run.startMany(service, BEFORE_FULL);
    disk.fill(LEFT_BYTES);
    await run.startMany(service, PAST_FULL);
    await run.expectReadOnly(service, 'after the disk filled up');
    const readyAfterMs: number[] = [];
    for (const { after, leftBytes } of starts) {
      await run.end(service, after);
      disk.fill(leftBytes);
      service = await spawnService({ dataDir });
      const when = `after ${after} and a start with ${leftBytes} bytes left`;
      await run.expectReadOnly(service, when);
      readyAfterMs.push(await readyAfter(service, () => disk.free()));
      await run.startMany(service, AT_ONCE);
      await run.expectAll(service, LOOKED_AT);
    }
    await run.end(service, 'a kill');
    disk.free();
    service = await startService({ dataDir });
    await run.expectAll(service);
    return { ...run.figures(), readyAfterMs };
  } finally {
    await service.kill();
  }
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

  async end(service: ServiceProcess, how: FullStart['after']): Promise<void> {
    const { code } = await (how === 'a kill' ? service.kill() : service.stop());
    if (how !== 'a kill' && code !== 0) this.faults.push(`the service ended with code ${code}`);
  }

  /** Starts attempts; each must be acknowledged, or refused with the error for a full disk. */
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

  /**
   * Expects that writes are refused, /readyz gives the reason, and everything acknowledged can be
   * read.
   */
  async expectReadOnly(service: ServiceProcess, when: string): Promise<void> {
    const client = new ApiClient(service.origin);
    try {
      await until(async () => !service.isRunning || (await isAnswered(client, '/livez')));
      const answer = await this.#readyzOnceRefused(service, client);
      if (!isNoSpace(answer)) this.faults.push(`${when}: /readyz: ${answer.status} ${answer.text}`);
      // The service checks again within a second.
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

  /**
   * The answer of /readyz after a write was refused. With a few free pages some writes succeed
   * first, and in between the test write, which needs a single page, may succeed too.
   */
  async #readyzOnceRefused(service: ServiceProcess, client: ApiClient): Promise<Answer> {
    for (let tries = 1; ; tries += 1) {
      const refusedBefore = this.#refused;
      await this.startMany(service, AT_ONCE);
      const answer = await client.send('GET', '/readyz');
      const isDone = this.#refused > refusedBefore && isNoSpace(answer);
      if (isDone || tries === MOST_TRIES) return answer;
    }
  }

  /** Expects that the latest attempts, or all of them, can be read. */
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

function isNoSpace({ status, text }: Answer): boolean {
  return status === 503 && text.includes('no space');
}

async function isAnswered(client: ApiClient, path: string): Promise<boolean> {
  try {
    return (await client.send('GET', path)).status === 200;
  } catch {
    return false;
  }
}
