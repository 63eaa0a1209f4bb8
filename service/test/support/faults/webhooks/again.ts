import { setTimeout as wait } from 'node:timers/promises';
import { createOutbound } from '../../../../src/outbound/outbound.ts';
import type { AtEnd } from '../../at-end.ts';

/** A call that the service has made to a receiver. */
export interface ReceivedCall {
  readonly url: string;
  readonly headers: readonly (readonly [string, string])[];
  readonly body: string;
}

interface TimedCall extends ReceivedCall {
  readonly afterMs: number;
}

/**
 * Repeats the calls of the service to the receivers at the same moments, so that the machine is loaded
 * by receivers while the service has none. It runs in their process, which has the lowest priority, and
 * sends as the service does.
 */
export class Again {
  readonly #outbound = createOutbound({
    allowed: [],
    mayCallItself: true,
    lookUp: () => Promise.resolve([]),
  });
  readonly #stopped = new AbortController();
  readonly #sending = new Set<Promise<unknown>>();
  #calls: readonly TimedCall[] = [];
  #noted: TimedCall[] | null = null;
  #began = 0;

  constructor(atEnd: AtEnd) {
    atEnd(() => {
      this.#stopped.abort();
      this.#outbound.close();
    });
  }

  note(call: ReceivedCall): void {
    this.#noted?.push({ ...call, afterMs: performance.now() - this.#began });
  }

  /** Remembers the calls that come meanwhile. */
  async noting<Value>(work: () => Promise<Value>): Promise<Value> {
    this.#noted = [];
    this.#began = performance.now();
    const done = await work();
    this.#calls = this.#noted;
    this.#noted = null;
    return done;
  }

  /** Makes those calls meanwhile. @returns with what was done, how many calls there were */
  async repeating<Value>(work: () => Promise<Value>): Promise<Value> {
    const begin = performance.now();
    for (const call of this.#calls) {
      const sent = this.#send(call, begin).finally(() => this.#sending.delete(sent));
      this.#sending.add(sent);
    }
    return work();
  }

  /** Until all are answered. */
  async settle(): Promise<void> {
    await Promise.all(this.#sending);
  }

  get count(): number {
    return this.#calls.length;
  }

  async #send({ url, headers, body, afterMs }: TimedCall, begin: number): Promise<void> {
    const { signal } = this.#stopped;
    try {
      await wait(Math.max(0, begin + afterMs - performance.now()), undefined, { signal });
      // Where a receiver does not answer, the call of the service was not answered either.
      await this.#outbound.fetch(url, {
        method: 'POST',
        headers,
        body,
        turnMs: 6_000,
        keptFor: url,
      });
    } catch {
      // The receivers say what is wrong.
    }
  }
}
