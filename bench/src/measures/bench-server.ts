import { requestsOf, type Acknowledged, type Job, type Report, type Stream } from '../load/job.ts';
import { LoadProcess } from '../load/load-process.ts';
import { requireRows, type Book } from '../servers/count-rows.ts';
import type { Span } from './cpu-profile.ts';
import type { CpuTime, ThreadTimes } from '../servers/process-usage.ts';
import type { ServerProcess } from '../servers/server-process.ts';

/** How many attempts are read back from a store whose rows can't be counted. */
const READ_BACK = 500;
const UNLIMITED = { seconds: Number.MAX_SAFE_INTEGER, requests: Number.MAX_SAFE_INTEGER };

export interface Round {
  readonly perSecond: number;
  readonly p50: number;
  readonly p99: number;
  readonly p999: number;
  /** Processor time of the server per answer; null if the system does not provide it. */
  readonly cpuMicroseconds: number | null;
  /** The part of it that the event loop's thread used. */
  readonly mainMicroseconds: number | null;
  readonly generatorBusy: number;
}

/** What the threads of a server had used before and after a load. */
export interface ThreadUse {
  readonly answers: number;
  readonly span: Span;
  readonly before: ThreadTimes;
  readonly after: ThreadTimes;
}

/**
 * How the work is verified: by counting rows, by a function that throws, by reading attempts back,
 * or only by the answers.
 */
type Proof =
  | { readonly dataDir: string; readonly book: Book }
  | ((acknowledged: Acknowledged) => Promise<void>)
  | 'readBack'
  | null;

/** What starts attempts. */
type Start = 'start' | 'cibaStart' | 'openidCibaStart';

/** A server, with the load generator that has started its attempts. */
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

  /** Everything that was acknowledged to its load generator. */
  get acknowledged(): Acknowledged {
    return this.#acknowledged;
  }

  /** @throws Error when an answer was wrong, or its effect is not in the database */
  async measure(streams: Job['streams'], seconds: number): Promise<Round> {
    return this.#measure({ streams, seconds });
  }

  /** As `measure`, of so many pieces of work, however long they take. */
  async measurePieces(streams: Job['streams'], pieces: number): Promise<Round> {
    return this.#measure({ streams, requests: pieces });
  }

  /**
   * One request of each of so many pieces of work, after the steps before it.
   * @returns the processor time of the server for each, in microseconds
   */
  async measureStep(stream: Stream, step: number, pieces: number): Promise<number> {
    const before = this.#threadMicroseconds();
    const requests = step === 0 ? pieces : UNLIMITED.requests;
    const report = await this.#run({ streams: [stream], step, requests });
    const after = this.#threadMicroseconds();
    const answers = report.streams.reduce((sum, { answers: each }) => sum + each, 0);
    if (answers !== pieces) throw new Error(`${answers} answers to ${pieces} requests`);
    if (step === requestsOf(stream.kind) - 1) await this.#requireWork(report);
    return (after - before) / answers;
  }

  /** Exactly, where `cpuTime` counts hundredths of a second. */
  #threadMicroseconds(): number {
    const times = this.#server.threadTimes();
    if (times === null) throw new Error('only Linux tells the times of threads');
    return (times.main.all + times.worker.all + times.others.all) * 1e6;
  }

  async #measure(job: Pick<Job, 'streams'> & Partial<Job>): Promise<Round> {
    const cpuBefore = this.#server.cpuTime();
    const report = await this.#run(job);
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

  /**
   * How long each group of threads was busy, with the duration of the load.
   * @throws Error when the system does not tell the times of threads
   */
  async measureThreads(streams: Job['streams'], seconds: number): Promise<ThreadUse> {
    const before = this.#server.threadTimes();
    const from = microseconds();
    const report = await this.#run({ streams, seconds });
    const to = microseconds();
    const after = this.#server.threadTimes();
    if (before === null || after === null) throw new Error('only Linux tells the times of threads');
    const answers = report.streams.reduce((sum, stream) => sum + stream.answers, 0);
    return { answers, span: { from, to }, before, after };
  }

  /** Not measured: makes sure that there are this many attempts of each kind. */
  async prepare(
    how: Start,
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

  async #fill(kind: Start | 'complete', requests: number): Promise<void> {
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
    else if (typeof this.#proof === 'function') await this.#proof(acknowledged);
    else if (this.#proof !== null) requireRows(this.#proof.dataDir, this.#proof.book, acknowledged);
  }

  async #readBack(): Promise<void> {
    await this.#run({ streams: [{ kind: 'status', connections: 1 }], requests: READ_BACK });
  }
}

function microseconds(): number {
  return Number(process.hrtime.bigint() / 1000n);
}
