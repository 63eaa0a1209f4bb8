import { setTimeout as wait } from 'node:timers/promises';
import type { ApiClient, Answer, Started } from '../programs/api-client.ts';

const LOGINS_AT_ONCE = 4;
const STATUS_PAUSE_MS = 10;

export interface Times {
  readonly count: number;
  readonly p99Ms: number;
  readonly slowestMs: number;
}

/** One sign-in by browser, up to the API token. */
export async function logIn(
  client: ApiClient,
  send: (request: Promise<Answer>) => Promise<Answer> = (request) => request,
): Promise<void> {
  const answer = await send(client.post('/start', { locale: 'en' }));
  if (answer.status !== 200) return;
  const { attempt_id, attempt_token } = (answer.json as { data: Started }).data;
  await send(client.post('/callback', { state: attempt_id, auto_complete: true }));
  await send(client.post(`/token/${attempt_id}`, { attempt_token }));
}

/** Requests for one state, and sign-ins, until `end`. Every answer of 5xx is a fault. */
export class LoginsBeside {
  readonly #client: ApiClient;
  readonly #statuses: number[] = [];
  readonly #writes: number[] = [];
  readonly #faults: string[] = [];
  readonly #working: Promise<unknown>;
  #isOver = false;

  constructor(client: ApiClient) {
    this.#client = client;
    const logins = Array.from({ length: LOGINS_AT_ONCE }, () => this.#logInAgain());
    this.#working = Promise.all([this.#askForStatus(), ...logins]);
  }

  async end() {
    this.#isOver = true;
    await this.#working;
    const [statuses, writes] = [timesOf(this.#statuses), timesOf(this.#writes)];
    return { statuses, writes, faults: this.#faults };
  }

  async #askForStatus(): Promise<void> {
    const started = await this.#client.start({ locale: 'en' });
    while (!this.#isOver) {
      await this.#timed(this.#statuses, this.#client.status(started));
      await wait(STATUS_PAUSE_MS);
    }
  }

  async #logInAgain(): Promise<void> {
    while (!this.#isOver) {
      await logIn(this.#client, (request) => this.#timed(this.#writes, request));
    }
  }

  /** A sign-in that the revocation fails is answered with 4xx. */
  async #timed(times: number[], request: Promise<Answer>): Promise<Answer> {
    const began = performance.now();
    const answer = await request;
    times.push(performance.now() - began);
    if (answer.status >= 500) this.#faults.push(`${answer.status} ${answer.text}`);
    return answer;
  }
}

function timesOf(times: readonly number[]): Times {
  const sorted = times.toSorted((one, other) => one - other).map(Math.round);
  return {
    count: sorted.length,
    p99Ms: sorted[Math.floor(sorted.length * 0.99)] ?? 0,
    slowestMs: sorted.at(-1) ?? 0,
  };
}
