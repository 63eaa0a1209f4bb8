import { InstancesUnderLoad } from '../../support/faults/instances-under-load.ts';
import { runCutOff } from '../../support/faults/network-run.ts';
import { endBackends, loseStandby, takeAway } from '../../support/faults/postgres-outages.ts';
import { PostgresPair } from '../../support/postgres/pair.ts';
import { startPostgres } from '../../support/postgres/server.ts';
import type { FaultOutcome, FaultRun, FaultTask } from './fault-run.ts';

const SECOND_MS = 1000;
/** A request has five seconds, and a busy machine one more. */
const SLOWEST_MS = 6000;
const MOST_RECOVERY_MS = 5000;
const LIVEZ_MS = 1000;
const MOST_GROWN_MB = 64;

interface Figures {
  readonly slowestMs?: number;
  readonly recoveryMs?: number;
  readonly livezMs?: number;
  readonly grownMb?: number;
}

/** What is more than promised. */
function excessesOf(figures: Figures): string[] {
  const limits: Required<Figures> = {
    slowestMs: SLOWEST_MS,
    recoveryMs: MOST_RECOVERY_MS,
    livezMs: LIVEZ_MS,
    grownMb: MOST_GROWN_MB,
  };
  return Object.entries(limits).flatMap(([name, limit]) => {
    const value = figures[name as keyof Figures] ?? 0;
    return value > limit ? [`${name} is ${value}, more than ${limit}`] : [];
  });
}

async function onOneServer(
  { seed }: FaultTask,
  fault: (load: InstancesUnderLoad, server: Server) => Promise<Figures>,
): Promise<FaultOutcome> {
  const server = await startPostgres({ isDurable: true });
  const load = await InstancesUnderLoad.start([server.url, server.url], seed);
  try {
    return outcomeOf(load, await fault(load, server));
  } finally {
    await load.close();
    await server.close();
  }
}

type Server = Awaited<ReturnType<typeof startPostgres>>;

function outcomeOf({ history }: InstancesUnderLoad, figures: Figures): FaultOutcome {
  const { attempts, answers, unavailable, slowestMs, violations } = history;
  const all = { slowestMs, ...figures };
  return {
    cycles: 1,
    acknowledged: attempts.length,
    tokens: attempts.filter(({ tokens }) => tokens.size > 0).length,
    recoveryMs: figures.recoveryMs ?? null,
    faults: [...violations, ...excessesOf(all)],
    figures: { answers, unavailable, ...all },
  };
}

export const BACKENDS: FaultRun<'backends-seconds'> = {
  name: 'backends',
  fault: 'all connections to PostgreSQL are ended every 200 ms',
  promise: 'nothing acknowledged is lost, no attempt has two tokens',
  options: { 'backends-seconds': 60 },
  planted: ['an ended connection is taken for a fault of the statement'],
  async run(task) {
    const forMs = task.options['backends-seconds'] * SECOND_MS;
    let [rounds, ended] = [0, 0];
    const outcome = await onOneServer(task, async (load, { url }) => {
      ({ rounds, ended } = await endBackends(load, url, forMs));
      return {};
    });
    return { ...outcome, cycles: rounds, kinds: `${ended} connections` };
  },
};

function away(way: 'stopped' | 'frozen', fault: string): FaultRun {
  const option = `${way}-seconds`;
  return {
    name: `database-${way}`,
    fault,
    promise: '503 with `Retry-After` within 6 s, live, no more than 64 MB, writes again within 5 s',
    options: { [option]: 30 },
    planted: way === 'stopped' ? ['a database that is away names no time to come back'] : [],
    run: (task) =>
      onOneServer(task, (load, server) =>
        takeAway(load, server, way, (task.options[option] ?? 0) * SECOND_MS),
      ),
  };
}

export const STOPPED = away('stopped', 'PostgreSQL is stopped under load, and started again');
export const FROZEN = away('frozen', 'PostgreSQL is frozen under load (SIGSTOP), and goes on');

export const STANDBY: FaultRun<'standby-losses'> = {
  name: 'standby',
  fault: 'the only synchronous standby of PostgreSQL ends under load, and comes back',
  promise: 'nothing is acknowledged meanwhile, 503 within 6 s, writes again within 5 s',
  options: { 'standby-losses': 10 },
  planted: ['a write waits for others as long as for its own commit'],
  async run({ options, seed }) {
    const pair = await PostgresPair.start(true);
    const load = await InstancesUnderLoad.start([pair.url, pair.url], seed);
    const cycles = options['standby-losses'];
    let recoveryMs = 0;
    try {
      for (let cycle = 0; cycle < cycles && load.history.violations.length === 0; cycle += 1) {
        recoveryMs = Math.max(recoveryMs, await loseStandby(load, pair));
      }
      return { ...outcomeOf(load, { recoveryMs }), cycles };
    } finally {
      await load.close();
      await pair.close();
    }
  },
};

export const NETWORK: FaultRun<'silence-seconds'> = {
  name: 'network',
  fault: 'one of two instances is cut off from PostgreSQL, and no connection is reset',
  promise: '503 within 6 s at that instance, the other one goes on, writes again within 5 s',
  options: { 'silence-seconds': 30 },
  planted: ['a silent server is asked again by everybody who waits'],
  async run({ options, seed }) {
    const report = await runCutOff(options['silence-seconds'] * SECOND_MS, seed);
    if (report === null) return { notRun: 'only root on Linux, with ip, can cut a network off' };
    const { attempts, tokens, violations, ...figures } = report;
    return {
      cycles: 1,
      acknowledged: attempts,
      tokens,
      recoveryMs: figures.recoveryMs,
      faults: [...violations, ...excessesOf(figures)],
      figures,
    };
  },
};
