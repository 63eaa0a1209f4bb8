import type { CrowdReport } from './crowd-job.ts';
import { retryAfter, type Answer } from './wire-client.ts';

const MOST_WRONG = 10;

/** Counts what a crowd is answered. */
export class CrowdTally {
  due = 0;
  withoutSocket = 0;
  #isLoaded = true;
  #tokensUnderLoad = 0;
  readonly #counts = { attempts: 0, tokens: 0, refusedStarts: 0, refusedLater: 0 };
  readonly #latencies: number[] = [];
  readonly #wrong: string[] = [];

  isRefusal(answer: Answer): boolean {
    return answer.status === 503 && retryAfter(answer) >= 1;
  }

  accepts(answer: Answer, since: number): boolean {
    if (answer.status !== 200) {
      this.wrong(`${answer.head}\n${answer.body}`);
      return false;
    }
    this.#latencies.push(performance.now() - since);
    return true;
  }

  wrong(what: string): void {
    if (this.#wrong.length < MOST_WRONG) this.#wrong.push(what);
  }

  started(): void {
    this.#counts.attempts += 1;
  }

  refusedStart(): void {
    this.#counts.refusedStarts += 1;
  }

  refusedLater(): void {
    this.#counts.refusedLater += 1;
  }

  finished(): void {
    this.#counts.tokens += 1;
    if (this.#isLoaded) this.#tokensUnderLoad += 1;
  }

  /** No login begins any more. */
  endLoad(): void {
    this.#isLoaded = false;
  }

  report(seconds: number): CrowdReport {
    const sorted = Float64Array.from(this.#latencies).toSorted();
    const at = (share: number) =>
      Math.round(10 * (sorted[Math.floor(share * sorted.length)] ?? 0)) / 10;
    const { due, withoutSocket } = this;
    return {
      due,
      withoutSocket,
      ...this.#counts,
      tokensPerSecond: Math.round(this.#tokensUnderLoad / seconds),
      p50: at(0.5),
      p99: at(0.99),
      slowest: Math.round(sorted.at(-1) ?? 0),
      wrong: this.#wrong.map((one) => one.slice(0, 80)),
    };
  }
}
