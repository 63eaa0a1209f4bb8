import { BANK_KEY, rehearse, type Rehearsal } from '../live/rehearsal.ts';
import { LiveClient, type Answer, type Started } from '../live/live-client.ts';
import { PersonBrowser } from '../live/person-browser.ts';
import { somebody } from '../attacks/crowd.ts';
import type { ServiceProcess } from '../programs/service-process.ts';
import type { Issued } from '../wire.ts';
import { checkStore } from './check-store.ts';
import { reportOf, sample, someAnswersLater, type CrashReport } from './crash-cycles.ts';
import { History, type KnownAttempt } from './history.ts';
import { seededRandom, type SeededRandom } from './seeded-random.ts';
import { factsOfFile } from './store-facts.ts';

const WRITERS = 6;
/** A sign-in has nine requests, of which the answers to three at most are counted. */
const KILL = { most: 36, latestMs: 60 };
const PERSON = 'amal';
const KEY_LETTERS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789';
const KEY_LENGTH = 32;

/** What a sign-in needs for its redemption to be repeated. */
type Codes = WeakMap<KnownAttempt, string>;

/**
 * Kills a service in live mode while people sign in at the simulator, which is in this process
 * and stays. After each new start everything that was acknowledged must be there.
 */
export async function runLiveKills(
  cycles: number,
  seed: number,
  onCycle: (done: number, history: History) => void = () => undefined,
): Promise<CrashReport> {
  await using rehearsal = await rehearse();
  const run = new LiveKills(rehearsal, seed);
  let service = rehearsal.service;
  for (let cycle = 1; cycle <= cycles; cycle += 1) {
    await run.killUnderLoad(service);
    service = await run.startAgain();
    await run.look(service, sample(run.history.attempts, run.random));
    onCycle(cycle, run.history);
    if (run.history.violations.length > 0) break;
  }
  return { ...reportOf(cycles, run.history), slowestRecoveryMs: run.slowestRecoveryMs };
}

class LiveKills {
  readonly history = new History();
  readonly random: SeededRandom;
  slowestRecoveryMs = 0;
  readonly #rehearsal: Rehearsal;
  readonly #client: LiveClient;
  readonly #codes: Codes = new WeakMap();

  constructor(rehearsal: Rehearsal, seed: number) {
    this.#rehearsal = rehearsal;
    this.#client = new LiveClient(rehearsal, BANK_KEY);
    this.random = seededRandom(seed);
  }

  async startAgain(): Promise<ServiceProcess> {
    const began = performance.now();
    const service = await this.#rehearsal.spawnAgain();
    await service.ready();
    const recoveryMs = Math.round(performance.now() - began);
    this.slowestRecoveryMs = Math.max(this.slowestRecoveryMs, recoveryMs);
    return service;
  }

  async killUnderLoad(service: ServiceProcess): Promise<void> {
    const moment = someAnswersLater(this.history, this.random, KILL);
    const people = Array.from({ length: WRITERS }, async () => {
      while (service.isRunning) await this.#signInUnlessKilled(service);
    });
    await moment;
    await service.kill();
    await Promise.all(people);
  }

  /** Compares the rows with what was told, and repeats what stayed without an answer. */
  async look(service: ServiceProcess, attempts: readonly KnownAttempt[]): Promise<void> {
    const { history } = this;
    checkStore(history, await factsOfFile(service.dataDir));
    for (const attempt of attempts) {
      if (attempt.redemption === 'unknown') await this.#repeat(attempt);
      await this.#expectUser(attempt);
    }
  }

  async #signInUnlessKilled(service: ServiceProcess): Promise<void> {
    try {
      await this.#signIn();
    } catch (error) {
      this.history.unanswered += 1;
      if (!service.isRunning) return;
      // The service may be about to end by the kill; only an error of fetch is expected then.
      if (!(error instanceof TypeError)) this.history.violations.push(String(error));
    }
  }

  async #signIn(): Promise<void> {
    const { history, random } = this;
    const answer = this.#count(await this.#client.start({}, somebody()));
    if (answer.status !== 200) return;
    const started = answer.data as unknown as Started;
    const attempt = history.add({ ...started, ...answer.data } as never, 'oidc');
    attempt.completion = 'unknown';
    const browser = new PersonBrowser();
    const back = await browser.signIn(started.authorization_url, PERSON);
    const code = back.searchParams.get('completion_code');
    if (code === null) return history.accuse(attempt, 'completion', `ends at ${back.pathname}`);
    attempt.completion = 'acknowledged';
    this.#codes.set(attempt, code);
    attempt.key = random.text(KEY_LENGTH, KEY_LETTERS);
    attempt.redemption = 'unknown';
    attempt.askedAt = Date.now();
    this.#sawRedemption(attempt, this.#count(await this.#redeem(attempt)));
    if (attempt.tokens.size === 1 && random.chance(0.5)) await this.#revoke(attempt);
  }

  #redeem(attempt: KnownAttempt): Promise<Answer> {
    const extra = { completion_code: this.#codes.get(attempt) ?? '' };
    const headers = { ...somebody(), 'idempotency-key': attempt.key ?? '' };
    return this.#client.redeem(attempt.started as never, extra, headers);
  }

  #sawRedemption(attempt: KnownAttempt, { status, data }: Answer): void {
    if (status !== 200) return this.history.accuse(attempt, 'I9', `is redeemed with ${status}`);
    const { token, user } = data as unknown as Issued;
    attempt.redemption = 'acknowledged';
    this.history.sawToken(attempt, token);
    this.history.sawUser(attempt, user);
  }

  async #revoke(attempt: KnownAttempt): Promise<void> {
    attempt.revocation = 'unknown';
    const headers = { authorization: `Bearer ${[...attempt.tokens].join('')}` };
    const answer = await this.#client.send('/token', { method: 'DELETE', headers });
    if (this.#count(answer).status === 204) attempt.revocation = 'acknowledged';
    else this.history.accuse(attempt, 'revocation', `of a good token is ${answer.status}`);
  }

  /** Twice: the second answer has to be the first one (I9). */
  async #repeat(attempt: KnownAttempt): Promise<void> {
    this.#sawRedemption(attempt, this.#count(await this.#redeem(attempt)));
    this.#sawRedemption(attempt, this.#count(await this.#redeem(attempt)));
  }

  /** I7. */
  async #expectUser(attempt: KnownAttempt): Promise<void> {
    const [token] = attempt.tokens;
    if (token === undefined) return;
    const { status } = this.#count(await this.#client.user(token));
    const { revocation } = attempt;
    const isRight =
      revocation === 'unknown' || status === (revocation === 'never asked' ? 200 : 401);
    if (!isRight) this.history.accuse(attempt, 'I7', `(revocation ${revocation}) is ${status}`);
    attempt.revocation = status === 401 ? 'acknowledged' : 'never asked';
  }

  /** I12. */
  #count(answer: Answer): Answer {
    this.history.answers += 1;
    if (answer.status >= 500) this.history.violations.push(`I12: ${answer.status} ${answer.text}`);
    return answer;
  }
}
