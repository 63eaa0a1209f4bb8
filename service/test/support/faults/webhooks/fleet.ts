import { until } from '../../programs/until.ts';
import { startService, type ServiceProcess } from '../../programs/service-process.ts';
import type { SeededRandom } from '../seeded-random.ts';

const SECRET_KEY = 'ab'.repeat(32);
const SIMULATED_KEPT = '72h';

/** One instance with a file, or two on one database. */
export class Fleet {
  slowestRecoveryMs = 0;
  #instances: readonly ServiceProcess[] = [];
  #turn = 0;
  readonly #settings: Readonly<Record<string, string>>;

  constructor(url: string | null, clientsFile: string) {
    const shared = url === null ? {} : { DATABASE_URL: url, SECRET_KEY };
    this.#settings = {
      ...shared,
      CLIENTS_FILE: clientsFile,
      LOG_LEVEL: 'error',
      RETENTION: SIMULATED_KEPT,
    };
  }

  async start(count: number): Promise<void> {
    const settings = this.#settings;
    const starting = Array.from({ length: count }, () => startService({ settings }));
    this.#instances = await Promise.all(starting);
  }

  get size(): number {
    return this.#instances.length;
  }

  get dataDir(): string {
    return this.#first().dataDir;
  }

  /** For a command on the same store. */
  get settings(): Readonly<Record<string, string>> {
    return { ...this.#settings, DATA_DIR: this.dataDir };
  }

  /** Of each in turn. */
  origin(): string {
    this.#turn += 1;
    return (this.#instances[this.#turn % this.#instances.length] ?? this.#first()).origin;
  }

  get origins(): readonly string[] {
    return this.#instances.map(({ origin }) => origin);
  }

  /** By SIGKILL, and starts it again on the same port. */
  async killOne(random: SeededRandom): Promise<void> {
    const killed = random.pick(this.#instances);
    await killed.kill();
    const began = performance.now();
    const { dataDir, port } = killed;
    const again = await startService({ settings: this.#settings, dataDir, port });
    const recoveryMs = Math.round(performance.now() - began);
    this.slowestRecoveryMs = Math.max(this.slowestRecoveryMs, recoveryMs);
    this.#instances = this.#instances.map((one) => (one === killed ? again : one));
  }

  /** Reads the clients again. @param isRead whether an instance has done so */
  async reload(isRead: (origin: string) => Promise<boolean>): Promise<void> {
    for (const instance of this.#instances) {
      instance.signal('SIGHUP');
      await until(() => isRead(instance.origin), 50);
    }
  }

  /** Moves the time, of one instance with a file alone. */
  async advance(by: string): Promise<void> {
    const answer = await fetch(`${this.#first().origin}/simulator/clock`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ advance: by }),
    });
    if (!answer.ok) throw new Error(`the time was not moved: ${await answer.text()}`);
  }

  async close(): Promise<void> {
    await Promise.all(this.#instances.map((one) => one.kill()));
  }

  #first(): ServiceProcess {
    const [first] = this.#instances;
    if (first === undefined) throw new Error('nothing was started');
    return first;
  }
}
