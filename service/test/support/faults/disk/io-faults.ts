import { join } from 'node:path';
import { serviceFolder } from '../../canaries/run-folder.ts';
import { ApiClient } from '../../programs/api-client.ts';
import { spawnService, startService, type ServiceProcess } from '../../programs/service-process.ts';
import { until } from '../../programs/until.ts';
import { WAIT_MS } from '../../wait-ms.ts';
import { checkHistory } from '../check-history.ts';
import { checkStore } from '../check-store.ts';
import { sample } from '../crash-cycles.ts';
import { History } from '../history.ts';
import { seededRandom, type SeededRandom } from '../seeded-random.ts';
import { factsOfFile } from '../store-facts.ts';
import { runTraffic } from '../traffic.ts';

const WRITERS = 8;
/** A call that comes later than so many answers is left out. */
const MOST_ANSWERS = 1500;
/** The whole service looks at what it kept after each of so many faults; the rows are read always. */
const FAULTS_FOR_SERVICE = 10;

export interface IoFault {
  readonly call: 'write' | 'sync';
  readonly how: 'eio' | 'enospc' | 'short';
}

/** A short write is followed by one that finds no space, as the system reports it. */
const CALLS_THAT_FAIL = { eio: 1, enospc: 1, short: 2 };

export const IO_FAULTS: readonly IoFault[] = [
  { call: 'write', how: 'eio' },
  { call: 'sync', how: 'eio' },
  { call: 'write', how: 'enospc' },
  { call: 'write', how: 'short' },
];

export interface IoFaultReport {
  readonly caused: number;
  /** Faults after which the process ended by itself. */
  readonly ended: number;
  /** Faults in the first start on an empty folder. */
  readonly inFirstStarts: number;
  readonly attempts: number;
  readonly tokens: number;
  readonly unavailable: number;
  /** From the fault until the same process was ready again. */
  readonly slowestRecoveryMs: number;
  readonly violations: readonly string[];
}

/** One call that fails. */
export interface IoFaultStep {
  readonly fault: IoFault;
  /** Which call it is, counted from the start of the process. */
  readonly number: number;
  /** A first start on an empty folder, or a start on what the earlier steps have left, and load. */
  readonly where: 'a first start' | 'under load';
}

/** Lets single calls of a service to its disk fail, and looks at what it makes of each. */
export async function runIoFaults(
  library: string,
  steps: readonly IoFaultStep[],
  seed: number,
  onStep: (done: number) => void = () => undefined,
): Promise<IoFaultReport> {
  const run = new IoFaultRun(library, seed);
  await run.open();
  /** Faults for which a first start makes no more calls. */
  const finished = new Set<IoFault>();
  for (const [place, { fault, number, where }] of steps.entries()) {
    if (where === 'under load') await run.underLoad(fault, number);
    else if (!finished.has(fault) && !(await run.firstStart(fault, number))) finished.add(fault);
    onStep(place + 1);
  }
  await run.look();
  return run.report();
}

class IoFaultRun {
  readonly #library: string;
  readonly #random: SeededRandom;
  readonly #history = new History();
  #dataDir = '';
  #caused = 0;
  #ended = 0;
  #inFirstStarts = 0;
  #slowestRecoveryMs = 0;

  constructor(library: string, seed: number) {
    this.#library = library;
    this.#random = seededRandom(seed);
    // 503 is right while the disk fails, and leaves open what became of the request.
    this.#history.isStoreAway = true;
  }

  async open(): Promise<void> {
    await using service = await startService();
    this.#dataDir = service.dataDir;
    await service.stop();
  }

  report(): IoFaultReport {
    const { attempts, unavailable, violations } = this.#history;
    return {
      caused: this.#caused,
      ended: this.#ended,
      inFirstStarts: this.#inFirstStarts,
      attempts: attempts.length,
      tokens: attempts.filter(({ tokens }) => tokens.size > 0).length,
      unavailable,
      slowestRecoveryMs: this.#slowestRecoveryMs,
      violations,
    };
  }

  /**
   * An empty folder, and a call of the first start that fails. It may end with a message; the next
   * start on the same folder must work.
   * @returns whether there was such a call
   */
  async firstStart(fault: IoFault, number: number): Promise<boolean> {
    const dataDir = join(serviceFolder('first-start'), 'data');
    await using service = await spawnService({
      settings: this.#settings(fault, number, dataDir),
      dataDir,
    });
    await until(async () => !service.isRunning || (await isAnswered(service)));
    const isCaused = hasFailed(service);
    this.#judgeEnd(service, `${nameOf(fault, number)} in a first start`);
    await service.kill();
    if (!isCaused) return false;
    this.#caused += 1;
    this.#inFirstStarts += 1;
    await using again = await startService({ dataDir });
    const client = new ApiClient(again.origin);
    await client.start({ locale: 'en' });
    client.close();
    return true;
  }

  async underLoad(fault: IoFault, number: number): Promise<void> {
    const name = nameOf(fault, number);
    const settings = this.#settings(fault, number, this.#dataDir);
    await using service = await spawnService({ settings, dataDir: this.#dataDir });
    await until(async () => !service.isRunning || (await isAnswered(service)));
    await this.#load(service);
    if (hasFailed(service)) {
      this.#caused += 1;
      if (fault.how === 'eio') await this.#expectEnd(service, name);
      else await this.#expectReady(service, name);
    }
    this.#judgeEnd(service, name);
    await service.kill();
    const known = this.#history.violations.length;
    checkStore(this.#history, await factsOfFile(this.#dataDir));
    this.#nameFault(known, name);
    if (number % FAULTS_FOR_SERVICE === 0) await this.look();
  }

  /** A service on a good disk, and what it answers about everything that was acknowledged. */
  async look(): Promise<void> {
    const history = this.#history;
    await using service = await startService({ dataDir: this.#dataDir });
    const client = new ApiClient(service.origin);
    history.isStoreAway = false;
    await checkHistory({ clients: [client], history }, sample(history.attempts, this.#random));
    history.isStoreAway = true;
    client.close();
    await service.stop();
  }

  async #load(service: ServiceProcess): Promise<void> {
    const history = this.#history;
    const before = history.answers;
    const isOver = () =>
      !service.isRunning || hasFailed(service) || history.answers > before + MOST_ANSWERS;
    const { origin } = service;
    if (service.isRunning) {
      const random = this.#random;
      await runTraffic({ origins: [origin], writers: WRITERS, history, random, isOver });
    }
  }

  async #expectEnd(service: ServiceProcess, name: string): Promise<void> {
    const limit = AbortSignal.timeout(WAIT_MS);
    await until(() => !service.isRunning || limit.aborted);
    if (service.isRunning) this.#history.violations.push(`${name}: the process goes on`);
  }

  async #expectReady(service: ServiceProcess, name: string): Promise<void> {
    const began = performance.now();
    const limit = AbortSignal.timeout(WAIT_MS);
    let isReady = false;
    await until(async () => {
      isReady = service.isRunning && (await isAnswered(service, '/readyz'));
      return isReady || !service.isRunning || limit.aborted;
    });
    const recoveryMs = Math.round(performance.now() - began);
    this.#slowestRecoveryMs = Math.max(this.#slowestRecoveryMs, recoveryMs);
    if (isReady) return;
    const how = service.isRunning ? 'is not ready again' : 'has ended';
    this.#history.violations.push(`${name}: the process ${how}: ${lastOf(service)}`);
  }

  /** An end by itself has a code that makes a supervisor start it again, and says why. */
  #judgeEnd(service: ServiceProcess, name: string): void {
    if (service.isRunning) return;
    this.#ended += 1;
    const said = lastOf(service);
    const { code } = service;
    if (code === 0 || code === null || said === '') {
      this.#history.violations.push(`${name}: it ended with ${code ?? 'a crash'}: ${said}`);
    }
  }

  #nameFault(from: number, name: string): void {
    const { violations } = this.#history;
    for (let place = from; place < violations.length; place += 1) {
      violations[place] = `${name}: ${violations[place] ?? ''}`;
    }
  }

  #settings({ call, how }: IoFault, number: number, dataDir: string): Record<string, string> {
    return {
      LD_PRELOAD: this.#library,
      DISK_FOLDER: dataDir,
      DISK_FAIL_FILES: join(dataDir, 'miftah.'),
      DISK_FAIL_AT: String(number),
      DISK_FAIL_FOR: String(CALLS_THAT_FAIL[how]),
      DISK_FAIL_CALL: call,
      DISK_FAIL_HOW: how,
    };
  }
}

function nameOf({ call, how }: IoFault, number: number): string {
  return `${call} ${number} ${how}`;
}

const SHIM_LINE = /^disk-shim: .*$/m;

function hasFailed(service: ServiceProcess): boolean {
  return SHIM_LINE.test(service.stderr());
}

/** What it said last, but the line of the library. */
function lastOf(service: ServiceProcess): string {
  const said = service.stdout().trimEnd().split('\n').at(-1) ?? '';
  return `${service.stderr().replace(SHIM_LINE, '').trim()} ${said}`.trim();
}

async function isAnswered({ origin }: ServiceProcess, path = '/livez'): Promise<boolean> {
  const client = new ApiClient(origin, { keepAlive: false });
  return client.send('GET', path).then(
    ({ status }) => status === 200,
    () => false,
  );
}
