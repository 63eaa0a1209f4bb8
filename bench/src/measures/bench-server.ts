import type { Acknowledged, Job, Report } from '../load/job.ts';
import { LoadProcess } from '../load/load-process.ts';
import { requireRows, type Book } from '../servers/count-rows.ts';
import type { CpuTime } from '../servers/process-usage.ts';
import type { ServerProcess } from '../servers/server-process.ts';

/** Read back from a store that has no rows to count. */
const READ_BACK = 500;
const UNLIMITED = { seconds: Number.MAX_SAFE_INTEGER, requests: Number.MAX_SAFE_INTEGER };

export interface Round {
  readonly perSecond: number;
  readonly p50: number;
  readonly p99: number;
  readonly p999: number;
  /** Of the server, for one answer; null where the system does not tell. */
  readonly cpuMicroseconds: number | null;
  /** What of it the event loop's own thread has used. */
  readonly mainMicroseconds: number | null;
  readonly generatorBusy: number;
}

/** How the work is checked: rows counted, attempts asked for again, or by the answers alone. */
type Proof = { readonly dataDir: string; readonly book: Book } | 'readBack' | null;

/** A server and the load generator that knows its attempts. */
export class BenchServer {
  readonly #server: ServerProcess;
  readonly #load = new LoadProcess();
  readonly #proof: Proof;
  #pending = 0;
  #authenticated = 0;
  #acknowledged: Acknowledged = { attempts: 0, completions: 0, tokens: 0 };

  constructor(server: ServerProcess, proof: Proof) {
    this.#server = server;
    this.#proof = proof;
  }

  /** Everything that its load generator has seen acknowledged. */
  get acknowledged(): Acknowledged {
    return this.#acknowledged;
  }

  /** @throws Error when an answer was wrong, or is not in the database */
  async measure(streams: Job['streams'], seconds: number): Promise<Round> {
    const cpuBefore = this.#server.cpuTime();
    const report = await this.#run({ streams, seconds });
    const cpuAfter = this.#server.cpuTime();
    const [measured] = report.streams;
    if (measured === undefined || measured.answers === 0) throw new Error('nothing was measured');
    const answers = report.streams.reduce((sum, stream) => sum + stream.answers, 0);
    const perAnswer = (of: keyof CpuTime) =>
      cpuBefore === null || cpuAfter === null
        ? null
        : ((cpuAfter[of] - cpuBefore[of]) * 1e6) / answers;
    await this.#requireWork(report);
    return {
      perSecond: measured.answers / measured.seconds,
      p50: measured.p50,
      p99: measured.p99,
      p999: measured.p999,
      cpuMicroseconds: perAnswer('all'),
      mainMicroseconds: perAnswer('main'),
      generatorBusy: report.busy,
    };
  }

  /** Unmeasured: sees to it that there are so many attempts of each kind. */
  async prepare(
    how: 'start' | 'cibaStart',
    { pending = 0, authenticated = 0 }: { pending?: number; authenticated?: number },
  ): Promise<void> {
    const missing = Math.max(0, authenticated - this.#authenticated);
    const toStart = pending + missing - this.#pending;
    if (toStart > 0) await this.#fill(how, toStart);
    if (missing > 0) await this.#fill('complete', missing);
  }

  async stop(): Promise<void> {
    this.#load.stop();
    await this.#server.stop();
  }

  async #fill(kind: 'start' | 'cibaStart' | 'complete', requests: number): Promise<void> {
    await this.#run({ streams: [{ kind, connections: 64 }], requests });
  }

  async #run(job: Pick<Job, 'streams'> & Partial<Job>): Promise<Report> {
    const report = await this.#load.run({ port: this.#server.port, ...UNLIMITED, ...job });
    this.#pending = report.pending;
    this.#authenticated = report.authenticated;
    this.#acknowledged = report.acknowledged;
    return report;
  }

  async #requireWork({ acknowledged }: Report): Promise<void> {
    if (this.#proof === 'readBack') await this.#readBack();
    else if (this.#proof !== null) requireRows(this.#proof.dataDir, this.#proof.book, acknowledged);
  }

  async #readBack(): Promise<void> {
    await this.#run({ streams: [{ kind: 'status', connections: 1 }], requests: READ_BACK });
  }
}
