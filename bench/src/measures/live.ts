import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import {
  originsOf,
  serviceSettings,
  simulatorSettings,
  type RehearsalPlan,
} from '../../../scripts/rehearsal.ts';
import { median } from '../figures/figures.ts';
import { inNewFolder } from '../servers/data-folder.ts';
import { BenchPostgres } from '../servers/postgres-server.ts';
import { freePort, ServerProcess } from '../servers/server-process.ts';

const MIFTAH = fileURLToPath(new URL('../../../service/miftah.mjs', import.meta.url));
const KEY = 'mfk_bench_0123456789abcdef';
const CLIENT = {
  id: 'bench',
  name: { ar: 'القياس', en: 'Benchmark' },
  type: 'confidential',
  return_addresses: ['https://bench.example.test/return'],
  keys: [KEY],
} as const;

/**
 * What a round asks for. The pushes of all rounds are as many as the budgets allow for the ten people
 * of the simulator, three each; a sign-in by browser has no budget.
 */
const FLOWS = {
  browser: { rate: 20, seconds: 8, flags: [] },
  phone: { rate: 2, seconds: 5, flags: ['--phone'] },
} as const;
const ROUNDS = 3;
const WARM_UP = { rate: 20, seconds: 4, flags: [] } as const;
const MICROSECONDS = 1e6;

export type LiveFlow = keyof typeof FLOWS;
export type LiveEngine = 'SQLite' | 'PostgreSQL';

/** Of one whole sign-in in live mode; processor times in microseconds, null where none is told. */
export interface LiveLine {
  readonly flow: LiveFlow;
  readonly engine: LiveEngine;
  /** Sign-ins that began in a second. */
  readonly rate: number;
  readonly service: number | null;
  readonly database: number | null;
  /** The simulator, in the place of the provider. */
  readonly simulator: number | null;
  /** Of the start and of the exchange for a token, as the drill has seen them, in milliseconds. */
  readonly startP99: number;
  readonly tokenP99: number;
}

interface Drilled {
  readonly signed_in: number;
  readonly start: { readonly p99: number };
  readonly token: { readonly p99: number };
}

type Figures = Omit<LiveLine, 'flow' | 'engine' | 'rate'>;

interface Sides {
  readonly plan: RehearsalPlan;
  readonly service: ServerProcess;
  readonly simulator: ServerProcess;
  readonly postgres: BenchPostgres | null;
}

/**
 * Sign-ins by `miftah drill` at a service in live mode, whose provider is a simulator in a process of
 * its own: the service on one core, simulator and drill on another.
 */
export async function measureLive(say: (line: string) => void): Promise<LiveLine[]> {
  const lines: LiveLine[] = [];
  const postgres = await BenchPostgres.start();
  try {
    const engines = [null, ...(postgres === null ? [] : [postgres])];
    for (const database of engines) {
      await inNewFolder(async (folder) => {
        const sides = await openSides(folder, database);
        try {
          lines.push(...(await measureSides(sides, say)));
        } finally {
          await sides.service.stop();
          await sides.simulator.stop();
        }
      });
    }
  } finally {
    await postgres?.close();
  }
  return lines;
}

async function openSides(folder: string, postgres: BenchPostgres | null): Promise<Sides> {
  mkdirSync(folder, { recursive: true });
  const plan: RehearsalPlan = {
    servicePort: await freePort(),
    simulatorPort: await freePort(),
    folder,
    secretKey: randomBytes(32).toString('hex'),
    clients: [CLIENT],
  };
  await postgres?.createDatabase('live');
  const store = postgres === null ? {} : { DATABASE_URL: postgres.urlOf('live') };
  const core = availableParallelism() > 1;
  const simulator = await ServerProcess.program('simulator/src/main.ts', {
    settings: { ...simulatorSettings(plan), DATA_DIR: join(folder, 'simulator') },
    core: core ? 1 : null,
  });
  const settings = { ...serviceSettings(plan), DATA_DIR: join(folder, 'service'), ...store };
  const service = await ServerProcess.program('service/start.mjs', {
    settings,
    core: core ? 0 : null,
  });
  return { plan, service, simulator, postgres };
}

async function measureSides(sides: Sides, say: (line: string) => void): Promise<LiveLine[]> {
  const engine: LiveEngine = sides.postgres === null ? 'SQLite' : 'PostgreSQL';
  say(`live mode on ${engine}`);
  await drill(sides, WARM_UP);
  const lines: LiveLine[] = [];
  for (const flow of ['browser', 'phone'] as const) {
    const rounds: Figures[] = [];
    for (let round = 0; round < ROUNDS; round += 1) {
      rounds.push(await measureRound(sides, FLOWS[flow]));
    }
    lines.push({ flow, engine, rate: FLOWS[flow].rate, ...middleOf(rounds) });
  }
  return lines;
}

type Load = (typeof FLOWS)[LiveFlow] | typeof WARM_UP;

async function measureRound(sides: Sides, load: Load): Promise<Figures> {
  const times = () => ({
    service: sides.service.cpuTime()?.all ?? null,
    simulator: sides.simulator.cpuTime()?.all ?? null,
    database: sides.postgres?.cpuTime() ?? null,
  });
  const before = times();
  const { signed_in: signIns, start, token } = await drill(sides, load);
  const after = times();
  const each = (of: keyof typeof before) => {
    const [from, to] = [before[of], after[of]];
    return from === null || to === null ? null : ((to - from) * MICROSECONDS) / signIns;
  };
  return {
    service: each('service'),
    simulator: each('simulator'),
    database: each('database'),
    startP99: start.p99,
    tokenP99: token.p99,
  };
}

/** @throws Error unless everybody has signed in */
async function drill({ plan }: Sides, { rate, seconds, flags }: Load): Promise<Drilled> {
  const { service, simulator } = originsOf(plan);
  const args = [MIFTAH, 'drill', '--json', '--simulator', simulator, ...flags];
  const pace = ['--rate', String(rate), '--for', String(seconds)];
  const env = { ...process.env, MIFTAH_URL: service, MIFTAH_KEY: KEY };
  const { stdout } = await promisify(execFile)(process.execPath, [...args, ...pace], { env });
  const drilled: unknown = JSON.parse(stdout);
  if (isDrilled(drilled)) return drilled;
  throw new Error('miftah drill has printed something else than its figures');
}

function isDrilled(value: unknown): value is Drilled {
  return (
    typeof value === 'object' &&
    value !== null &&
    ['signed_in', 'start', 'token'].every((name) => name in value)
  );
}

function middleOf(rounds: readonly Figures[]): Figures {
  const known = (of: 'service' | 'simulator' | 'database') => {
    const values = rounds.flatMap((round) => round[of] ?? []);
    return values.length === 0 ? null : median(values);
  };
  return {
    service: known('service'),
    simulator: known('simulator'),
    database: known('database'),
    startP99: median(rounds.map(({ startP99 }) => startP99)),
    tokenP99: median(rounds.map(({ tokenP99 }) => tokenP99)),
  };
}
