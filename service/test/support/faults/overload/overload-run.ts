import { readFileSync } from 'node:fs';
import { get } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import type { ServiceProcess } from '../../programs/service-process.ts';
import type { StoreFacts } from '../store-facts.ts';
import { runCrowd } from './crowd.ts';
import type { CrowdReport } from './crowd-job.ts';

/** How much more logins begin than the service was just seen to finish. */
const TIMES = 4;
/** Enough for the highest rate, and few enough that nobody waits in the service. */
const SOCKETS_AT_PEAK = 64;
const BETWEEN_PROBES_MS = 100;

export interface OverloadPlan {
  readonly peakSeconds: number;
  readonly seconds: number;
  readonly sockets: number;
}

export interface OverloadFigures {
  /** Logins finished in a second: before, under the load, and after it. */
  readonly before: number;
  readonly under: number;
  readonly after: number;
  /** The goodput: `under` as a share of what is finished without too much load. */
  readonly share: number;
  /**
   * The same by the processor time of the service, which other programs of the machine change less;
   * null where the system does not say it.
   */
  readonly shareOfCpu: number | null;
  readonly report: CrowdReport;
  /** Starts that were refused before and after the load. */
  readonly refusedOutside: number;
  /** The slowest answer of /livez under the load, in milliseconds, and how often it was asked. */
  readonly livezMs: number;
  readonly livezAnswers: number;
  readonly attempts: number;
  readonly tokens: number;
  /** Wrong answers, and everything that the store has otherwise than it was acknowledged. */
  readonly faults: readonly string[];
}

/** Four times as many logins as the service can finish, then none too many. */
export async function overload(
  service: ServiceProcess,
  { peakSeconds, seconds, sockets }: OverloadPlan,
  readFacts: () => Promise<StoreFacts>,
): Promise<OverloadFigures> {
  const { port } = service;
  const atPeak = { port, seconds: peakSeconds, sockets: SOCKETS_AT_PEAK, perSecond: null };
  const warm = await runCrowd(atPeak);
  const before = await measured(service, () => runCrowd(atPeak));
  const perSecond = Math.max(1, TIMES * before.report.tokensPerSecond);
  const probe = new LivezProbe(port);
  const under = await measured(service, () => runCrowd({ port, seconds, sockets, perSecond }));
  const livez = await probe.stop();
  const after = await measured(service, () => runCrowd(atPeak));
  const reports = [warm, before.report, under.report, after.report];
  const attempts = total(reports.map((one) => one.attempts));
  const tokens = total(reports.map((one) => one.tokens));
  const facts = await readFacts();
  return {
    before: before.report.tokensPerSecond,
    under: under.report.tokensPerSecond,
    after: after.report.tokensPerSecond,
    share: shareOf(under.report.tokensPerSecond, [
      before.report.tokensPerSecond,
      after.report.tokensPerSecond,
    ]),
    shareOfCpu:
      under.perCpuSecond === null
        ? null
        : shareOf(under.perCpuSecond, [before.perCpuSecond ?? 0, after.perCpuSecond ?? 0]),
    report: under.report,
    refusedOutside: warm.refusedStarts + before.report.refusedStarts + after.report.refusedStarts,
    livezMs: livez.slowestMs,
    livezAnswers: livez.answers,
    attempts,
    tokens,
    faults: [
      ...reports.flatMap(({ wrong }) => wrong),
      ...livez.faults,
      ...differences('attempts', attempts, facts.attempts.length),
      ...differences('tokens', tokens, facts.tokens.length),
    ],
  };
}

/** A refused start must not be in the store, and an acknowledged one must. */
function differences(what: string, acknowledged: number, stored: number): string[] {
  if (acknowledged === stored) return [];
  return [`${acknowledged} ${what} were acknowledged, and the store has ${stored}`];
}

async function measured(service: ServiceProcess, run: () => Promise<CrowdReport>) {
  const cpuBefore = cpuSecondsOf(service.pid);
  const report = await run();
  const cpuAfter = cpuSecondsOf(service.pid);
  const perCpuSecond =
    cpuBefore === null || cpuAfter === null ? null : report.tokens / (cpuAfter - cpuBefore);
  return { report, perCpuSecond };
}

/** Linux counts in hundredths of a second, after the name of the program in proc(5) stat. */
function cpuSecondsOf(pid: number): number | null {
  try {
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
    return (Number(fields[11]) + Number(fields[12])) / 100;
  } catch {
    return null;
  }
}

function shareOf(under: number, peaks: readonly number[]): number {
  return Math.round((100 * under * peaks.length) / Math.max(1, total(peaks))) / 100;
}

function total(numbers: readonly number[]): number {
  return numbers.reduce((sum, number) => sum + number, 0);
}

/** Asks /livez again and again, on a new connection each time, as load balancers do. */
class LivezProbe {
  readonly #working: Promise<void>;
  #isOver = false;
  #slowestMs = 0;
  #answers = 0;
  readonly #faults: string[] = [];

  constructor(port: number) {
    this.#working = this.#work(port);
  }

  async stop() {
    this.#isOver = true;
    await this.#working;
    return {
      slowestMs: Math.round(this.#slowestMs),
      answers: this.#answers,
      faults: this.#faults,
    };
  }

  async #work(port: number): Promise<void> {
    while (!this.#isOver) {
      const askedAt = performance.now();
      const status = await askLivez(port).catch(String);
      if (status !== 200) this.#faults.push(`/livez: ${status}`);
      this.#slowestMs = Math.max(this.#slowestMs, performance.now() - askedAt);
      this.#answers += 1;
      await pause(BETWEEN_PROBES_MS);
    }
  }
}

function askLivez(port: number): Promise<number | undefined> {
  const { promise, resolve, reject } = Promise.withResolvers<number | undefined>();
  get({ port, path: '/livez', agent: false }, (response) => {
    response.resume();
    response.once('end', () => resolve(response.statusCode));
  }).once('error', reject);
  return promise;
}
