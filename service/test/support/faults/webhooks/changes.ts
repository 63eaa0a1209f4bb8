import { setTimeout as wait } from 'node:timers/promises';
import { Agent } from 'undici';
import type { Started } from '../../wire.ts';

const SECOND_MS = 1000;
/** An instance that was killed refuses connections at once; without a pause callers would spin. */
const PAUSE_MS = 20;
const AT_ONCE = 32;
const AMAL = '1000001101';
/** Approves by himself after three seconds. */
const APPROVES = '1900000002';
const APPROVED_EACH = 9;
const JSON_BODY = { 'content-type': 'application/json' };

/** What the callers know of what they have done. */
export interface Done {
  /** Starts that were answered with 200. */
  started: number;
  /** Ids of attempts whose cancel was answered with 204. */
  readonly ended: Set<string>;
  unanswered: number;
  readonly faults: string[];
}

interface Callers {
  /** Where the next request goes. */
  readonly origin: () => string;
  /** The key of an application, by the number of the change. */
  readonly keyOf: (change: number) => string;
  readonly done: Done;
}

export interface SteadyRate {
  readonly unmeasured: number;
  readonly count: number;
  readonly perSecond: number;
}

/** A driver of its own: the one that records what it meets is too slow for a million changes. */
export class Changes {
  readonly #callers: Callers;
  readonly #agent = new Agent({ connections: AT_ONCE });

  constructor(callers: Callers) {
    this.#callers = callers;
  }

  async close(): Promise<void> {
    await this.#agent.destroy();
  }

  /** Starts attempts and ends them: most by a cancel, the others by their person. */
  async make(count: number): Promise<void> {
    let begun = 0;
    const caller = async () => {
      while (begun < count) {
        begun += 1;
        const key = this.#callers.keyOf(begun);
        const isApproved = begun % APPROVED_EACH === 0;
        const started = await this.start(key, isApproved ? APPROVES : AMAL);
        if (started === null) {
          begun -= 1;
          await wait(PAUSE_MS);
        } else if (!isApproved) await this.#end(key, started);
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, caller));
  }

  /**
   * As many a second as asked, however slowly they are answered, each of them ended afterwards.
   * @param unmeasured so many of the first are not among the times
   * @returns how long each start took, from when it was due
   */
  async atRate({ count, unmeasured, perSecond }: SteadyRate): Promise<readonly number[]> {
    const ms: number[] = [];
    const begin = performance.now();
    const one = async (change: number) => {
      const due = begin + (change * SECOND_MS) / perSecond;
      await wait(Math.max(0, due - performance.now()));
      const key = this.#callers.keyOf(change);
      const started = await this.start(key, AMAL);
      if (started === null) return;
      if (change >= unmeasured) ms.push(performance.now() - due);
      await this.#end(key, started);
    };
    await Promise.all(Array.from({ length: unmeasured + count }, (_, change) => one(change)));
    return ms;
  }

  /** @returns null where it was not answered */
  async start(key: string, nationalId: string): Promise<Started | null> {
    const body = JSON.stringify({ national_id: nationalId, locale: 'en' });
    const answer = await this.#send(
      'POST',
      '/start',
      { ...JSON_BODY, authorization: `Bearer ${key}` },
      body,
    );
    if (answer === null) return null;
    this.#callers.done.started += 1;
    return (JSON.parse(answer.text) as { data: Started }).data;
  }

  /** Until it is answered: a service that was killed may have done it or not. */
  async #end(key: string, { attempt_id: id, attempt_token: token }: Started): Promise<void> {
    const headers = { authorization: `Bearer ${key}`, 'x-provider-attempt-token': token };
    for (;;) {
      const answer = await this.#send('DELETE', `/attempts/${id}`, headers);
      if (answer !== null) break;
      await wait(PAUSE_MS);
    }
    this.#callers.done.ended.add(id);
  }

  /** @returns null where nothing was answered, or that it can't be done now */
  async #send(
    method: 'POST' | 'DELETE',
    path: string,
    headers: Record<string, string>,
    body?: string,
  ) {
    const { done, origin } = this.#callers;
    try {
      const asked = {
        method,
        headers,
        body: body ?? null,
        path: `/api/v1${path}`,
        origin: origin(),
      };
      const { statusCode: status, body: said } = await this.#agent.request(asked);
      const text = await said.text();
      if (status === 200 || status === 204) return { text };
      if (status !== 503) done.faults.push(`${method} ${path}: ${status} ${text}`);
      else done.unanswered += 1;
      // What is wrong is told once, and not asked again for ever.
      return status === 503 || method === 'POST' ? null : { text };
    } catch {
      done.unanswered += 1;
      return null;
    }
  }
}

/** @param part 0.99 for p99 */
export function quantile(values: readonly number[], part: number): number {
  const sorted = values.toSorted((first, second) => first - second);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? Number.NaN;
}
