import { setImmediate as nextTurn, setTimeout as pause } from 'node:timers/promises';
import { numbersFrom } from './chance.ts';
import type { Connection } from './connection.ts';
import type { Exchange } from './requests.ts';

const SEED = 20_260_101;
/** Timers of Node fire up to a millisecond late; closer than this the clock is watched. */
const TIMER_MS = 2;

type Exchanges = Pick<Connection, 'exchange'>;

interface Due {
  readonly exchange: Exchange;
  readonly at: number;
}

/**
 * Requests at their own times, whether or not the ones before are answered, as independent callers
 * send them: with exponential gaps. A time counts from when its request was due, so that a server
 * that stands still is charged for all who would have come meanwhile ("coordinated omission").
 */
export class OpenLoop {
  readonly latencies: number[] = [];
  readonly #free: Exchanges[];
  readonly #waiting: Due[] = [];
  readonly #underWay = new Set<Promise<void>>();
  #fault: Error | null = null;

  constructor(connections: readonly Exchanges[]) {
    this.#free = [...connections];
  }

  /** @throws Error of the first exchange that failed, or brought a wrong answer */
  async run(next: () => Exchange | null, perSecond: number): Promise<void> {
    const chance = numbersFrom(SEED);
    let at = performance.now();
    for (let exchange = next(); exchange !== null; exchange = next()) {
      at += (-Math.log(chance()) * 1000) / perSecond;
      await until(at);
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
      this.latencies.push(performance.now() - due.at);
      if (!due.exchange.accept(answer)) {
        throw new Error(`a wrong answer: ${JSON.stringify(answer)}`);
      }
    }
    this.#free.push(connection);
  }
}

async function until(at: number): Promise<void> {
  const left = at - performance.now();
  if (left > TIMER_MS) await pause(left - TIMER_MS);
  while (performance.now() < at) await nextTurn();
}
