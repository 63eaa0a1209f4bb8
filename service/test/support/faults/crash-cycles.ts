import { setTimeout as wait } from 'node:timers/promises';
import { ApiClient } from '../programs/api-client.ts';
import { checkHistory } from './check-history.ts';
import { checkStore } from './check-store.ts';
import { History, type KnownAttempt } from './history.ts';
import { seededRandom, type SeededRandom } from './seeded-random.ts';
import { startService, type ServiceProcess } from '../programs/service-process.ts';
import { until } from '../programs/until.ts';
import { factsOfFile } from './store-facts.ts';
import { runTraffic } from './traffic.ts';

const WRITERS = 16;
const MOST_ANSWERS = 160;
/** In milliseconds, after the last of the answers: a kill comes between two answers too. */
const LATEST_MS = 20;
/** In addition to all new attempts, this many attempts of earlier cycles are checked again. */
const OLD_ONES = 40;

export interface TrafficReport {
  readonly cycles: number;
  readonly attempts: number;
  readonly tokens: number;
  readonly revoked: number;
  readonly references: number;
  readonly answers: number;
  readonly unanswered: number;
  readonly violations: readonly string[];
}

export interface CrashReport extends TrafficReport {
  /** The slowest start after a kill, until the service was ready. */
  readonly slowestRecoveryMs: number;
}

/**
 * Kills a service under load repeatedly. After each restart everything that it ever acknowledged
 * must be there.
 */
export async function runCrashCycles(
  cycles: number,
  seed: number,
  onCycle: (done: number, history: History) => void = () => undefined,
): Promise<CrashReport> {
  const random = seededRandom(seed);
  const history = new History();
  const first = await startService();
  await first.stop();
  const { dataDir, port } = first;
  let slowestRecoveryMs = 0;
  const startAgain = async () => {
    const began = performance.now();
    const service = await startService({ dataDir, port });
    slowestRecoveryMs = Math.max(slowestRecoveryMs, Math.round(performance.now() - began));
    return service;
  };
  for (let cycle = 1; cycle <= cycles; cycle += 1) {
    const service = await startAgain();
    await lookAgain(service, history, sample(history.attempts, random));
    await killUnderLoad(service, history, random);
    onCycle(cycle, history);
    if (history.violations.length > 0) break;
  }
  await using last = await startAgain();
  await lookAgain(last, history, history.attempts);
  return { ...reportOf(cycles, history), slowestRecoveryMs };
}

async function killUnderLoad(
  service: ServiceProcess,
  history: History,
  random: SeededRandom,
): Promise<void> {
  const moment = someAnswersLater(history, random, { most: MOST_ANSWERS });
  const traffic = runTraffic({ origins: [service.origin], writers: WRITERS, history, random });
  await moment;
  await service.kill();
  await traffic;
}

/**
 * By time alone, a busy machine would be killed before it issues a token.
 * @param limits of the answers to wait for, and of the milliseconds after them
 */
export async function someAnswersLater(
  history: History,
  random: SeededRandom,
  { most, latestMs = LATEST_MS }: { readonly most: number; readonly latestMs?: number },
): Promise<void> {
  const enough = history.answers + random.between(1, most);
  await until(() => history.answers >= enough);
  await wait(random.between(0, latestMs));
}

async function lookAgain(
  service: ServiceProcess,
  history: History,
  attempts: readonly KnownAttempt[],
): Promise<void> {
  const client = new ApiClient(service.origin);
  await checkHistory({ clients: [client], history }, attempts);
  client.close();
  checkStore(history, await factsOfFile(service.dataDir));
}

/** The position up to which attempts were checked; later ones are new. */
const looked = new WeakMap<readonly KnownAttempt[], number>();

export function sample(attempts: readonly KnownAttempt[], random: SeededRandom): KnownAttempt[] {
  const from = looked.get(attempts) ?? 0;
  looked.set(attempts, attempts.length);
  const old = from === 0 ? [] : Array.from({ length: OLD_ONES }, () => random.between(0, from - 1));
  const again = [...new Set(old)].flatMap((index) => attempts[index] ?? []);
  return [...again, ...attempts.slice(from)];
}

export function reportOf(cycles: number, history: History): TrafficReport {
  const { attempts, answers, unanswered, violations, references } = history;
  return {
    cycles,
    attempts: attempts.length,
    tokens: attempts.filter(({ tokens }) => tokens.size > 0).length,
    revoked: attempts.filter(({ revocation }) => revocation === 'acknowledged').length,
    references: references.size,
    answers,
    unanswered,
    violations,
  };
}
