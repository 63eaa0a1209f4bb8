import { setImmediate as nextTurn, setTimeout as pause } from 'node:timers/promises';
import { numbersFrom } from './chance.ts';
import type { Connection } from './connection.ts';
import type { Exchange } from './requests.ts';

const SEED = 20_260_101;
/** Node's timers fire up to a millisecond late, so for shorter waits the clock is polled. */
const TIMER_MS = 2;

type Exchanges = Pick<Connection, 'exchange'>;

interface Due {
  readonly exchange: Exchange;
  readonly at: number;
}

/**
 * Sends requests at fixed times, even if earlier ones are not answered, like independent callers:
 * with exponentially distributed gaps. Latency counts from the time a request was due, so that a
 * stalled server is charged for every request of that time (this avoids "coordinated omission").
 */
export class OpenLoop {
  readonly latencies: number[] = [];
  readonly #free: Exchanges[];
  readonly #waiting: Due[] = [];
  readonly #underWay = new Set<Promise<void>>();
  readonly #now: () => number;
  #fault: Error | null = null;

  /** @param now milliseconds of a clock that never goes back */
  constructor(connections: readonly Exchanges[], now = () => performance.now()) {
    this.#free = [...connections];
    this.#now = now;
  }

  /** @throws Error of the first exchange that failed or had a wrong answer */
  async run(next: () => Exchange | null, perSecond: number): Promise<void> {
    const chance = numbersFrom(SEED);
    let at = this.#now();
    for (let exchange = next(); exchange !== null; exchange = next()) {
      at += (-Math.log(chance()) * 1000) / perSecond;
      await this.#until(at);
      if (this.#fault !== null) throw this.#fault;
      this.#send({ exchange, at });
    }
    while (this.#underWay.size > 0) await Promise.all(this.#underWay);
    if (this.#fault !== null) throw this.#fault;
  }

  #send(due: Due): void {
    const connection = this.#free.pop();
    if (connection === undefined) {
      this.#waiting.push(due);
      return;
    }
    const work = this.#exchangeOn(connection, due)
      .catch((error: unknown) => {
        this.#fault ??= error instanceof Error ? error : new Error(String(error));
      })
      .finally(() => this.#underWay.delete(work));
    this.#underWay.add(work);
  }

  async #exchangeOn(connection: Exchanges, first: Due): Promise<void> {
    for (let due: Due | undefined = first; due !== undefined; due = this.#waiting.shift()) {
      const answer = await connection.exchange(due.exchange.request);
      this.latencies.push(this.#now() - due.at);
      if (!due.exchange.accept(answer)) {
        throw new Error(`a wrong answer: ${JSON.stringify(answer)}`);
      }
    }
    this.#free.push(connection);
  }

  async #until(at: number): Promise<void> {
    const left = at - this.#now();
    if (left > TIMER_MS) await pause(left - TIMER_MS);
    while (this.#now() < at) await nextTurn();
  }
}
