import { ApiClient } from '../programs/api-client.ts';
import {
  startService,
  type ServiceOptions,
  type ServiceProcess,
} from '../programs/service-process.ts';
import { until } from '../programs/until.ts';
import { checkHistory } from './check-history.ts';
import { checkStore } from './check-store.ts';
import { History } from './history.ts';
import { LoadBalancer } from './load-balancer.ts';
import { seededRandom } from './seeded-random.ts';
import { factsOfPostgres } from './store-facts.ts';
import { runTraffic, type Traffic } from './traffic.ts';

const INSTANCES = 2;
/** Of each kind of clients. */
const WRITERS = 6;
const REQUESTS_PER_SECOND = 200;
/** Of the instances. The load balancer looks ten times a second, and its process may be busy for long. */
const DRAIN_TIME = '2s';
/** Answers between two stops, so that each instance has worked again before the next one stops. */
const ANSWERS_BETWEEN = 50;
const SECRET_KEY = 'ab'.repeat(32);

export interface RollOutReport {
  /** Each stops and starts both instances, one after the other. */
  readonly rounds: number;
  readonly attempts: number;
  readonly tokens: number;
  readonly answers: number;
  /** What the machine managed of the requests that were wanted. */
  readonly answersPerSecond: number;
  /** Requests that were refused by a stopped instance, and answered by the other one. */
  readonly retried: number;
  /** Of the clients without a load balancer, which docs/reliability.md promises less. */
  readonly cutDirectly: number;
  readonly violations: readonly string[];
}

/**
 * Two instances under load on the database at `url`; SIGTERM stops one after the other, and it is
 * started again. A third of the load comes through a load balancer; a third from clients that keep
 * their connections, and a third from clients that open one for each request, both of which try a
 * refused connection at the other instance.
 * @param programs what is started in each round; undefined: the service
 */
export async function runRollOuts(
  url: string,
  rounds: number,
  seed: number,
  programs: readonly (string | undefined)[] = [undefined],
  requestsPerSecond = REQUESTS_PER_SECOND,
): Promise<RollOutReport> {
  const options = { settings: { DATABASE_URL: url, SECRET_KEY, DRAIN_TIME } };
  const starting = Array.from({ length: INSTANCES }, () => startService(options));
  const instances = await Promise.all(starting);
  const history = new History();
  const started = performance.now();
  const load = await startLoad(instances, history, seed, requestsPerSecond);
  try {
    for (let stop = 0; stop < rounds * INSTANCES; stop += 1) {
      await answered(history);
      const round = Math.floor(stop / INSTANCES);
      const main = programs[round % programs.length];
      const program = main === undefined ? options : { ...options, main };
      await replace(instances, stop % INSTANCES, program, history);
    }
    await answered(history);
  } finally {
    await load.stop();
  }
  const seconds = (performance.now() - started) / 1000;
  await look(instances, url, history);
  await Promise.all(instances.map((instance) => instance.stop()));
  return reportOf(rounds, seconds, history);
}

async function startLoad(
  instances: readonly ServiceProcess[],
  history: History,
  seed: number,
  requestsPerSecond: number,
): Promise<{ stop(): Promise<void> }> {
  const origins = instances.map(({ origin }) => origin);
  const balancer = await LoadBalancer.start(origins);
  let isOver = false;
  const kinds: readonly Pick<Traffic, 'origins' | 'retriesElsewhere' | 'mustBeAnswered'>[] = [
    { origins: [balancer.origin], mustBeAnswered: 'through the load balancer' },
    { origins, retriesElsewhere: 'on kept connections' },
    { origins, retriesElsewhere: 'on new connections' },
  ];
  const random = seededRandom(seed);
  const perSecond = requestsPerSecond / kinds.length;
  const common = { writers: WRITERS, history, random, perSecond, isOver: () => isOver };
  const traffic = Promise.all(kinds.map((kind) => runTraffic({ ...common, ...kind })));
  return {
    async stop() {
      isOver = true;
      await traffic;
      balancer.close();
      history.retried += balancer.retried;
    },
  };
}

async function answered(history: History): Promise<void> {
  const before = history.answers;
  await until(() => history.answers >= before + ANSWERS_BETWEEN);
}

async function replace(
  instances: ServiceProcess[],
  place: number,
  options: ServiceOptions,
  history: History,
): Promise<void> {
  const old = instances[place];
  if (old === undefined) throw new Error('there is no such instance');
  const { code, signal } = await old.stop();
  if (code !== 0) history.violations.push(`an instance ended with ${code ?? signal}`);
  const { dataDir, port } = old;
  instances[place] = await startService({ ...options, dataDir, port });
}

async function look(
  instances: readonly ServiceProcess[],
  url: string,
  history: History,
): Promise<void> {
  const clients = instances.map(({ origin }) => new ApiClient(origin));
  await checkHistory({ clients, history }, history.attempts);
  for (const client of clients) client.close();
  checkStore(history, await factsOfPostgres(url));
}

function reportOf(rounds: number, seconds: number, history: History): RollOutReport {
  const { attempts, answers, retried, unanswered, violations } = history;
  return {
    rounds,
    attempts: attempts.length,
    tokens: attempts.filter(({ tokens }) => tokens.size > 0).length,
    answers,
    answersPerSecond: Math.round(answers / seconds),
    retried,
    cutDirectly: unanswered,
    violations,
  };
}
