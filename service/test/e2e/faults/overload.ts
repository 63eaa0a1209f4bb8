import { randomBytes } from 'node:crypto';
import { findPostgres } from '../../../../scripts/postgres.mjs';
import { overload, type OverloadFigures } from '../../support/faults/overload/overload-run.ts';
import { factsOfFile, factsOfPostgres } from '../../support/faults/store-facts.ts';
import { startPostgres } from '../../support/postgres/server.ts';
import { startService } from '../../support/programs/service-process.ts';
import type { FaultOutcome, FaultRun } from './fault-run.ts';

/** The aim, on a machine that has nothing else to do. */
const LEAST_SHARE = 0.8;
const SLOWEST_P99_MS = 500;
const SLOWEST_LIVEZ_MS = 1000;

const LOG = { LOG_LEVEL: 'info' };
type Plan = Readonly<Record<'overload-seconds' | 'overload-sockets', number>>;

export const OVERLOAD: FaultRun<keyof Plan> = {
  name: 'overload',
  fault: 'four times as many logins begin as the service can finish',
  promise: 'further starts are refused early, and what was begun is finished',
  // With more than 1,000 the service closes idle connections soon, also as they are used again.
  options: { 'overload-seconds': 60, 'overload-sockets': 900 },
  planted: [],
  async run({ options, say }) {
    const runs = [await onFile(options), ...(await onPostgres(options))];
    for (const run of runs) for (const what of promisesNotKept(run)) say(what);
    return outcomeOf(runs);
  },
};

type Run = OverloadFigures & { readonly engine: string };

async function onFile(options: Plan): Promise<Run> {
  await using service = await startService({ settings: LOG });
  const facts = () => factsOfFile(service.dataDir);
  return { engine: 'SQLite', ...(await overload(service, planOf(options), facts)) };
}

async function onPostgres(options: Plan): Promise<Run[]> {
  if (findPostgres() === undefined) return [];
  const server = await startPostgres({ isDurable: true });
  try {
    const key = randomBytes(32).toString('hex');
    const settings = { ...LOG, DATABASE_URL: server.url, SECRET_KEY: key };
    await using service = await startService({ settings });
    const facts = () => factsOfPostgres(server.url);
    return [{ engine: 'PostgreSQL', ...(await overload(service, planOf(options), facts)) }];
  } finally {
    await server.close();
  }
}

function planOf(options: Plan) {
  return {
    peakSeconds: 5,
    seconds: options['overload-seconds'],
    sockets: options['overload-sockets'],
  };
}

function outcomeOf(runs: readonly Run[]): FaultOutcome {
  const sum = (of: (run: Run) => number) => runs.reduce((all, run) => all + of(run), 0);
  return {
    cycles: runs.length,
    kinds: runs.map(sayRun).join('; '),
    acknowledged: sum(({ attempts }) => attempts),
    tokens: sum(({ tokens }) => tokens),
    recoveryMs: null,
    faults: runs.flatMap(({ engine, faults }) => faults.map((fault) => `${engine}: ${fault}`)),
    figures: runs,
  };
}

function sayRun({ engine, share, shareOfCpu, report, livezMs }: Run): string {
  const cpu = shareOfCpu === null ? '' : ` (${percent(shareOfCpu)} by processor time)`;
  const slow = `99 % of accepted requests within ${Math.round(report.p99)} ms`;
  const sent = (report.due - report.withoutSocket) / report.due;
  const load = `${percent(sent)} of the load sent`;
  return `${engine}: ${load}, goodput ${percent(share)}${cpu}, ${slow}, /livez within ${livezMs} ms`;
}

/** Times of a busy machine prove nothing, so they are said, and are no faults. */
function promisesNotKept({ engine, share, report, livezMs }: Run): string[] {
  return [
    ...(share < LEAST_SHARE ? [`${engine}: the goodput is ${percent(share)}`] : []),
    ...(report.p99 >= SLOWEST_P99_MS ? [`${engine}: the 99th percentile is ${report.p99} ms`] : []),
    ...(livezMs > SLOWEST_LIVEZ_MS ? [`${engine}: /livez took ${livezMs} ms`] : []),
  ];
}

const percent = (share: number) => `${Math.round(100 * share)} %`;
