import { ask } from '../postgres/databases.ts';
import { ApiClient, type Issued } from '../programs/api-client.ts';
import { startService, type ServiceProcess } from '../programs/service-process.ts';

/** Redemptions of one attempt at once. */
export const HTTP_RACERS = 64;
const SECRET_KEY = 'ab'.repeat(32);
const NATIONAL_ID = '1000001101';
/** Attempts that are raced for side by side: 64 requests are under way at once. */
const SIDE_BY_SIDE = 1;

export interface TokenRaces {
  readonly attempts: number;
  /** Different tokens in the answers, and what the store has. */
  readonly tokens: number;
  readonly stored: number | null;
  readonly answers: number;
  /** Whatever was not one token for one racer and a 409 for each other one. */
  readonly violations: readonly string[];
}

/**
 * 64 redemptions at once for each attempt, over HTTP and over all instances. An attempt is started
 * at one instance, completed at the next one, and redeemed at all of them.
 * @param url of the database; null for one instance with a file
 */
export async function runTokenRaces(
  url: string | null,
  instances: number,
  attempts: number,
): Promise<TokenRaces> {
  const settings: Record<string, string> = url === null ? {} : { DATABASE_URL: url, SECRET_KEY };
  const starting = Array.from({ length: instances }, () => startService({ settings }));
  const services = await Promise.all(starting);
  try {
    const report = await raceAt(services, attempts);
    return { attempts, ...report, stored: url === null ? null : await storedTokens(url) };
  } finally {
    await Promise.all(services.map((service: ServiceProcess) => service.kill()));
  }
}

/** The same at instances that run. */
export async function raceAt(
  services: readonly { readonly origin: string }[],
  attempts: number,
): Promise<Omit<TokenRaces, 'attempts' | 'stored'>> {
  const clients = services.map(({ origin }) => new ApiClient(origin));
  try {
    const races = new Races(clients);
    for (let done = 0; done < attempts; done += SIDE_BY_SIDE) {
      const count = Math.min(SIDE_BY_SIDE, attempts - done);
      await Promise.all(Array.from({ length: count }, (_, index) => races.race(done + index)));
    }
    return races.report();
  } finally {
    for (const client of clients) client.close();
  }
}

class Races {
  readonly #clients: readonly ApiClient[];
  readonly #tokens = new Set<string>();
  readonly #violations: string[] = [];
  #answers = 0;

  constructor(clients: readonly ApiClient[]) {
    this.#clients = clients;
  }

  report() {
    const { size: tokens } = this.#tokens;
    return { tokens, answers: this.#answers, violations: this.#violations };
  }

  async race(number: number): Promise<void> {
    const started = await this.#client(number).start({ national_id: NATIONAL_ID, locale: 'en' });
    const { attempt_id, attempt_token } = started;
    const completed = await this.#client(number + 1).post('/complete-mfa', { attempt_id });
    if (completed.status !== 200) {
      this.#violations.push(`${attempt_id}: its completion is ${completed.status}`);
      return;
    }
    const racers = Array.from({ length: HTTP_RACERS }, (_, racer) =>
      this.#client(racer).post(`/token/${attempt_id}`, { attempt_token }),
    );
    const answers = await Promise.all(racers);
    this.#answers += answers.length;
    const issued = answers.filter(({ status }) => status === 200);
    for (const { json } of issued) this.#tokens.add((json as { data: Issued }).data.token);
    const others = answers.filter(({ status }) => status !== 200 && status !== 409);
    const faults = [
      ...(issued.length === 1 ? [] : [`${issued.length} racers got a token`]),
      ...others.map(({ status, json }) => `a racer got ${status} ${codeOf(json)}`),
    ];
    this.#violations.push(...faults.map((fault) => `${attempt_id}: ${fault}`));
  }

  #client(turn: number): ApiClient {
    const client = this.#clients[turn % this.#clients.length];
    if (client === undefined) throw new Error('there is no instance');
    return client;
  }
}

/** So that a refusal can be told from another one: the code of our catalogue. */
function codeOf(json: unknown): string {
  const { code } = (json ?? {}) as { code?: unknown };
  return String(code);
}

/** How many the database has. */
export async function storedTokens(url: string): Promise<number> {
  const [row] = await ask<{ count: number }>(url, 'SELECT count(*)::int FROM api_tokens');
  return row?.count ?? 0;
}
