import { request } from 'node:http';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as wait } from 'node:timers/promises';
import { recordSent } from '../canaries/record-exchange.ts';
import { ApiClient, type Issued, type Started } from '../programs/api-client.ts';
import { startService, type ServiceProcess } from '../programs/service-process.ts';
import { until } from '../programs/until.ts';
import { checkStore } from './check-store.ts';
import { reportOf, type CrashReport } from './crash-cycles.ts';
import { History, type KnownAttempt } from './history.ts';
import { seededRandom, type SeededRandom } from './seeded-random.ts';
import { factsOfFile } from './store-facts.ts';

/**
 * From the end of the request until the connection is cut or the service killed, in ms; in every
 * other round that is once the request has taken effect.
 */
const CUT_MS = { earliest: 0, latest: 8 };
const KEY_LETTERS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789';
const KEY_LENGTH = 32;

export interface LostAnswersReport extends CrashReport {
  /** Rounds in which the first request had taken effect, although its answer never came. */
  readonly tookEffect: number;
  readonly kills: number;
}

/**
 * Sends the redemption of an attempt, and cuts the connection before its answer; in every n-th
 * round the service is killed at that moment. A repetition with the same `Idempotency-Key` gives
 * the token, once and for all (I1, I9).
 */
export async function runLostAnswers(
  rounds: number,
  roundsForKill: number,
  seed: number,
): Promise<LostAnswersReport> {
  const run = new LostAnswers(await startService(), seed);
  try {
    for (let round = 1; round <= rounds && run.history.violations.length === 0; round += 1) {
      await run.round({ isKilled: round % roundsForKill === 0, isLate: round % 2 === 1 });
    }
    return await run.report(rounds);
  } finally {
    await run.close();
  }
}

interface Cut {
  readonly isKilled: boolean;
  readonly isLate: boolean;
}

class LostAnswers {
  readonly history = new History();
  readonly #random: SeededRandom;
  #service: ServiceProcess;
  #client: ApiClient;
  #tookEffect = 0;
  #kills = 0;
  #slowestRecoveryMs = 0;

  constructor(service: ServiceProcess, seed: number) {
    this.#service = service;
    this.#client = new ApiClient(service.origin);
    this.#random = seededRandom(seed);
  }

  async round({ isKilled, isLate }: Cut): Promise<void> {
    const attempt = await this.#completed();
    attempt.redemption = 'unknown';
    await this.#cut(attempt, { isKilled, isLate });
    if (isKilled) await this.#startAgain();
    if (this.#isRedeemed(attempt)) this.#tookEffect += 1;
    await this.#redeem(attempt);
    await this.#redeem(attempt);
    await this.#expectNoOther(attempt);
  }

  async report(rounds: number): Promise<LostAnswersReport> {
    checkStore(this.history, await factsOfFile(this.#service.dataDir));
    return {
      ...reportOf(rounds, this.history),
      slowestRecoveryMs: this.#slowestRecoveryMs,
      tookEffect: this.#tookEffect,
      kills: this.#kills,
    };
  }

  async close(): Promise<void> {
    this.#client.close();
    await this.#service.kill();
  }

  async #completed(): Promise<KnownAttempt> {
    const started = await this.#client.start({ locale: 'en' });
    const attempt = this.history.add(started, 'oidc');
    await this.#client.post('/callback', { state: started.attempt_id, auto_complete: true });
    attempt.completion = 'acknowledged';
    attempt.key = this.#random.text(KEY_LENGTH, KEY_LETTERS);
    return attempt;
  }

  /** Sends the whole request, and reads nothing of the answer. */
  async #cut(attempt: KnownAttempt, { isKilled, isLate }: Cut): Promise<void> {
    const { started, key } = attempt;
    const body = JSON.stringify({ attempt_token: started.attempt_token });
    const headers = {
      'content-type': 'application/json',
      'content-length': String(Buffer.byteLength(body)),
      'idempotency-key': key ?? '',
    };
    recordSent(headers, body);
    const path = `${this.#service.origin}/api/v1/token/${started.attempt_id}`;
    const sent = request(path, { method: 'POST', headers, agent: false });
    sent.on('error', () => undefined);
    await new Promise<void>((resolve) => sent.end(body, () => resolve()));
    if (isLate) await until(() => this.#isRedeemed(attempt));
    else await wait(this.#random.between(CUT_MS.earliest, CUT_MS.latest));
    if (isKilled) await this.#service.kill();
    sent.destroy();
  }

  async #startAgain(): Promise<void> {
    this.#kills += 1;
    this.#client.close();
    const began = performance.now();
    const { dataDir, port } = this.#service;
    this.#service = await startService({ dataDir, port });
    const recoveryMs = Math.round(performance.now() - began);
    this.#slowestRecoveryMs = Math.max(this.#slowestRecoveryMs, recoveryMs);
    this.#client = new ApiClient(this.#service.origin);
  }

  #isRedeemed({ started }: KnownAttempt): boolean {
    const file = join(this.#service.dataDir, 'miftah.db');
    const database = new DatabaseSync(file, { readOnly: true });
    const sql = 'SELECT 1 FROM api_tokens WHERE attempt_id = ?';
    const row = database.prepare(sql).get(started.attempt_id);
    database.close();
    return row !== undefined;
  }

  async #redeem(attempt: KnownAttempt): Promise<void> {
    const answer = await this.#ask(attempt.started, attempt.key ?? '');
    this.history.answers += 1;
    if (answer.status !== 200) {
      return this.history.accuse(attempt, 'I9', `gives ${answer.status} to a repetition`);
    }
    const { token, user } = (answer.json as { data: Issued }).data;
    attempt.redemption = 'acknowledged';
    this.history.sawToken(attempt, token);
    this.history.sawUser(attempt, user);
  }

  /** I1: with another key it is a second redemption. */
  async #expectNoOther(attempt: KnownAttempt): Promise<void> {
    const key = this.#random.text(KEY_LENGTH, KEY_LETTERS);
    const { status } = await this.#ask(attempt.started, key);
    if (status !== 409) this.history.accuse(attempt, 'I1', `gives ${status} to another key`);
  }

  #ask({ attempt_id, attempt_token }: Started, key: string) {
    return this.#client.post(`/token/${attempt_id}`, { attempt_token }, { 'idempotency-key': key });
  }
}
