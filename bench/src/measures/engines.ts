import { join } from 'node:path';
import { median, ratioOfRounds } from '../figures/figures.ts';
import { POLLED } from '../load/attempts.ts';
import { requestsOf } from '../load/job.ts';
import { OWN_BOOK } from '../servers/count-rows.ts';
import { inNewFolder } from '../servers/data-folder.ts';
import { BenchPostgres } from '../servers/postgres-server.ts';
import { ServerProcess } from '../servers/server-process.ts';
import { BenchServer, type Round } from './bench-server.ts';

/** How many rounds of each line there are, and how long each is. */
export interface EnginesPlan {
  readonly rounds: number;
  readonly roundSeconds: number;
  readonly warmUpSeconds: number;
}

/** One kind of request on both engines, with this number of connections. */
export interface EnginesLine {
  readonly kind: EngineKind;
  readonly connections: number;
  readonly sqlite: EngineFigures;
  readonly postgres: EngineFigures;
  /** The median of the ratios of the rounds: PostgreSQL's rate ÷ SQLite's. */
  readonly ratio: number;
}

/** Of a request, or of a whole login. Null: the system does not tell. */
export interface EngineFigures {
  readonly perSecond: number;
  readonly p99: number;
  /** Of the service's process. */
  readonly cpuMicroseconds: number | null;
  /** Of all processes of PostgreSQL; null for SQLite. */
  readonly serverMicroseconds: number | null;
}

/** Two services on one database, with half of the connections each. */
export interface InstancesLine {
  readonly kind: EngineKind;
  readonly one: number;
  readonly two: number;
  readonly ratio: number;
}

export interface Engines {
  readonly lines: readonly EnginesLine[];
  readonly instances: readonly InstancesLine[];
}

const KINDS = ['start', 'status', 'complete', 'token', 'login'] as const;
const CONNECTIONS = [1, 8, 64] as const;
const ALL = 64;
/** Attempts that are made ready for a second of each connection. A round without any ends sooner. */
const READY_PER_SECOND = 400;
/** Beyond this number the simulator drops the oldest. */
const MOST_READY = 6000;

export type EngineKind = (typeof KINDS)[number];

interface Sides {
  readonly sqlite: BenchServer;
  readonly postgres: BenchServer;
  readonly server: BenchPostgres;
  /** Both on the same database. */
  readonly pair: readonly [BenchServer, BenchServer];
}

/**
 * The same load on SQLite and on PostgreSQL in turn, and then on one service and on two that share
 * a database. Null where the machine has no PostgreSQL server.
 */
export async function measureEngines(
  plan: EnginesPlan,
  say: (line: string) => void,
): Promise<Engines | null> {
  const server = await BenchPostgres.start();
  if (server === null) return null;
  try {
    return await inNewFolder((folder) =>
      withSides(folder, server, async (sides) => ({
        lines: await compareEngines(sides, plan, say),
        instances: await compareInstances(sides, plan, say),
      })),
    );
  } finally {
    await server.close();
  }
}

async function withSides<Result>(
  folder: string,
  server: BenchPostgres,
  work: (sides: Sides) => Promise<Result>,
): Promise<Result> {
  const dataDir = join(folder, 'sqlite');
  const sqlite = new BenchServer(await ServerProcess.service(dataDir), { dataDir, book: OWN_BOOK });
  await Promise.all(['alone', 'shared'].map((name) => server.createDatabase(name)));
  const alone = await server.service(join(folder, 'alone'), 'alone');
  const postgres = new BenchServer(alone, (acknowledged) =>
    server.requireRows('alone', acknowledged),
  );
  const shared = (name: string) => server.service(join(folder, name), 'shared');
  const first = new BenchServer(await shared('first'), null);
  const pair = [first, new BenchServer(await shared('second'), null)] as const;
  try {
    return await work({ sqlite, postgres, server, pair });
  } finally {
    await Promise.all([sqlite, postgres, ...pair].map((one) => one.stop()));
  }
}

type Measured = Round & { readonly serverMicroseconds: number | null };

async function compareEngines(
  { sqlite, postgres, server }: Sides,
  plan: EnginesPlan,
  say: (line: string) => void,
): Promise<EnginesLine[]> {
  say('warm-up, SQLite and PostgreSQL');
  for (const side of [sqlite, postgres]) {
    await side.measure([{ kind: 'login', connections: ALL }], plan.warmUpSeconds);
  }
  const wanted = CONNECTIONS.flatMap((connections) => KINDS.map((kind) => ({ kind, connections })));
  const rounds = wanted.map(() => ({ sqlite: [] as Measured[], postgres: [] as Measured[] }));
  for (let round = 0; round < plan.rounds; round += 1) {
    say(`SQLite and PostgreSQL, round ${round + 1} of ${plan.rounds}`);
    for (const [index, { kind, connections }] of wanted.entries()) {
      const load = { kind, connections, seconds: plan.roundSeconds };
      const onSqlite = async () => rounds[index]?.sqlite.push(await once(sqlite, load, null));
      const onPostgres = async () =>
        rounds[index]?.postgres.push(await once(postgres, load, server));
      // Neither is always the first one.
      for (const side of round % 2 === 0 ? [onSqlite, onPostgres] : [onPostgres, onSqlite]) {
        await side();
      }
    }
  }
  return wanted.map((line, index) => ({ ...line, ...figuresOf(rounds[index]) }));
}

interface Load {
  readonly kind: EngineKind;
  readonly connections: number;
  readonly seconds: number;
}

async function once(
  side: BenchServer,
  { kind, connections, seconds }: Load,
  server: BenchPostgres | null,
): Promise<Measured> {
  await prepare(side, { kind, connections, seconds });
  const before = server?.cpuTime() ?? null;
  const startedAt = performance.now();
  const round = await side.measure([{ kind, connections }], seconds);
  const took = (performance.now() - startedAt) / 1000;
  const after = server?.cpuTime() ?? null;
  const pieces = requestsOf(kind);
  const answers = (round.perSecond * took) / pieces;
  return {
    ...round,
    perSecond: round.perSecond / pieces,
    cpuMicroseconds: round.cpuMicroseconds === null ? null : round.cpuMicroseconds * pieces,
    serverMicroseconds:
      before === null || after === null ? null : ((after - before) * 1e6) / answers,
  };
}

async function prepare(side: BenchServer, { kind, connections, seconds }: Load): Promise<void> {
  const ready = Math.min(MOST_READY, connections * seconds * READY_PER_SECOND);
  if (kind === 'status') await side.prepare('start', { pending: POLLED });
  if (kind === 'complete') await side.prepare('start', { pending: ready });
  if (kind === 'token') await side.prepare('start', { authenticated: ready });
}

function figuresOf(
  rounds: { readonly sqlite: readonly Measured[]; readonly postgres: readonly Measured[] } = {
    sqlite: [],
    postgres: [],
  },
): Pick<EnginesLine, 'sqlite' | 'postgres' | 'ratio'> {
  const rates = (of: readonly Measured[]) => of.map(({ perSecond }) => perSecond);
  return {
    sqlite: middleOf(rounds.sqlite),
    postgres: middleOf(rounds.postgres),
    ratio: ratioOfRounds(rates(rounds.postgres), rates(rounds.sqlite)),
  };
}

function middleOf(rounds: readonly Measured[]): EngineFigures {
  const known = (of: 'cpuMicroseconds' | 'serverMicroseconds') => {
    const values = rounds.flatMap((round) => round[of] ?? []);
    return values.length === 0 ? null : median(values);
  };
  return {
    perSecond: median(rounds.map(({ perSecond }) => perSecond)),
    p99: median(rounds.map(({ p99 }) => p99)),
    cpuMicroseconds: known('cpuMicroseconds'),
    serverMicroseconds: known('serverMicroseconds'),
  };
}

async function compareInstances(
  { postgres, server, pair }: Sides,
  plan: EnginesPlan,
  say: (line: string) => void,
): Promise<InstancesLine[]> {
  say('one instance and two');
  await bothAtOnce(pair, { kind: 'login', connections: ALL, seconds: plan.warmUpSeconds });
  const rates = KINDS.map(() => ({ one: [] as number[], two: [] as number[] }));
  for (let round = 0; round < plan.rounds; round += 1) {
    for (const [index, kind] of KINDS.entries()) {
      const load = { kind, connections: ALL, seconds: plan.roundSeconds };
      rates[index]?.one.push((await once(postgres, load, null)).perSecond);
      rates[index]?.two.push(await bothAtOnce(pair, load));
    }
  }
  await server.requireRows('shared', sumOf(pair));
  return KINDS.map((kind, index) => {
    const { one, two } = rates[index] ?? { one: [], two: [] };
    return { kind, one: median(one), two: median(two), ratio: ratioOfRounds(two, one) };
  });
}

/** The sum of both rates. */
async function bothAtOnce(pair: Sides['pair'], load: Load): Promise<number> {
  const half = { ...load, connections: load.connections / pair.length };
  for (const side of pair) await prepare(side, half);
  const rounds = await Promise.all(pair.map((side) => once(side, half, null)));
  return rounds.reduce((sum, { perSecond }) => sum + perSecond, 0);
}

function sumOf([one, other]: Sides['pair']) {
  const [first, second] = [one.acknowledged, other.acknowledged];
  return {
    attempts: first.attempts + second.attempts,
    completions: first.completions + second.completions,
    tokens: first.tokens + second.tokens,
  };
}
