import { readFileSync } from 'node:fs';
import { recordCanaries } from '../../canaries/run-folder.ts';
import { ApiClient } from '../../programs/api-client.ts';
import { seededRandom } from '../../faults/seeded-random.ts';
import type { ServiceProcess } from '../../programs/service-process.ts';
import type { HostileRequest } from './hostile-request.ts';
import { faultIn } from './judge.ts';
import { RawConnection } from './raw-connection.ts';
import { hostileRequest, type Victim } from './requests.ts';

const LANES = 8;
/** Requests can end a victim's attempt or revoke its token, so the victim is replaced regularly. */
const REQUESTS_PER_VICTIM = 100;
const SHOWN_BYTES = 400;

export interface HostileReport {
  readonly requests: number;
  readonly byStatus: Readonly<Record<string, number>>;
  /** Malformed requests whose connection was closed without an answer. */
  readonly cutOff: number;
  /**
   * Resident memory in kilobytes, after warming up and at the end; null if it can't be measured.
   */
  readonly memory: readonly [number | null, number | null];
  readonly faults: readonly string[];
}

/** Sends generated requests and checks every answer. */
export async function runHostileRequests(
  service: ServiceProcess,
  requests: number,
  seed: number,
): Promise<HostileReport> {
  const run = new HostileRun(service, seed);
  const warmUp = Math.floor(requests / 10);
  await run.send(warmUp);
  const before = residentKilobytes(service);
  await run.send(requests - warmUp);
  return run.report(requests, [before, residentKilobytes(service)]);
}

class HostileRun {
  readonly #service: ServiceProcess;
  readonly #random;
  readonly #byStatus = new Map<number, number>();
  readonly #faults: string[] = [];
  #cutOff = 0;
  #left = 0;

  constructor(service: ServiceProcess, seed: number) {
    this.#service = service;
    this.#random = seededRandom(seed);
  }

  async send(requests: number): Promise<void> {
    this.#left = requests;
    await Promise.all(Array.from({ length: LANES }, () => this.#lane()));
  }

  report(requests: number, memory: HostileReport['memory']): HostileReport {
    const byStatus = Object.fromEntries(this.#byStatus);
    return { requests, byStatus, cutOff: this.#cutOff, memory, faults: this.#faults };
  }

  async #lane(): Promise<void> {
    const { port, origin } = this.#service;
    const connection = new RawConnection(port);
    const client = new ApiClient(origin);
    while (this.#left > 0) {
      const victim = await makeVictim(client);
      for (let used = 0; used < REQUESTS_PER_VICTIM && this.#left > 0; used += 1) {
        this.#left -= 1;
        await this.#sendOne(connection, hostileRequest(this.#random, victim));
      }
    }
    connection.close();
    client.close();
  }

  async #sendOne(connection: RawConnection, request: HostileRequest): Promise<void> {
    const { bytes, method, isHttp } = request;
    if (isHttp) {
      const answer = await connection.exchange(bytes, method);
      if (answer === null) return this.#accuse(request, 'no answer');
      this.#count(answer.status);
      const fault = faultIn(request, answer);
      if (fault !== null) this.#accuse(request, `${fault}: ${answer.status} ${answer.body}`);
      recordNewTokens(answer.body);
      return;
    }
    const answers = await connection.sendAlone(bytes, method);
    if (answers.length === 0) this.#cutOff += 1;
    if (answers.length > 1) this.#accuse(request, `${answers.length} answers`);
    for (const answer of answers) {
      this.#count(answer.status);
      const fault = faultIn(request, answer);
      if (fault !== null) this.#accuse(request, `${fault}: ${answer.status} ${answer.body}`);
    }
  }

  #count(status: number): void {
    this.#byStatus.set(status, (this.#byStatus.get(status) ?? 0) + 1);
  }

  #accuse({ bytes }: HostileRequest, what: string): void {
    this.#faults.push(
      `${what.slice(0, SHOWN_BYTES)}\n${JSON.stringify(bytes.slice(0, SHOWN_BYTES))}`,
    );
  }
}

async function makeVictim(client: ApiClient): Promise<Victim> {
  const attempt = await client.start({ locale: 'ar' });
  await client.post('/callback', { state: attempt.attempt_id, auto_complete: true });
  const { token } = await client.token(attempt);
  const next = await client.start({ national_id: '2900000017', locale: 'ar' });
  return { attemptId: next.attempt_id, attemptToken: next.attempt_token, apiToken: token };
}

/**
 * Of answers alone: what a request has at this place can be an invented value, which another request
 * stores as the name of a device.
 */
function recordNewTokens(text: string): void {
  for (const [, token = ''] of text.matchAll(/"attempt_token":"([\w-]{64})"/g)) {
    recordCanaries('attempt token', [token]);
  }
  for (const [, token = ''] of text.matchAll(/"token":"(mft_test_\w{49})"/g)) {
    recordCanaries('API token', [token]);
  }
}

function residentKilobytes({ pid }: ServiceProcess): number | null {
  try {
    const [, kilobytes] =
      /^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
    return Number(kilobytes);
  } catch {
    return null;
  }
}
