import { join } from 'node:path';
import { table } from '../figures/table.ts';
import { POLLED } from '../load/attempts.ts';
import { requestsOf, type Kind } from '../load/job.ts';
import { OWN_BOOK } from '../servers/count-rows.ts';
import { inNewFolder } from '../servers/data-folder.ts';
import { ServerProcess } from '../servers/server-process.ts';
import { BenchServer, type Round } from './bench-server.ts';

const KINDS = ['raw', 'status', 'start', 'complete', 'token', 'login', 'longPollLogin'] as const;
const CONNECTIONS = [1, 8, 64, 512] as const;
const SECONDS = 1.2;
const LIGHT_SECONDS = 4;
/** 32 callers with about 800 requests per second: a hundred logins. */
const LIGHT = { connections: 32, pauseMs: 40 } as const;
/**
 * Beyond this number the simulator drops the oldest. A measurement that uses them up ends sooner.
 */
const MOST_PENDING = 9000;
const AUTHENTICATED = 8000;

const HEADING = ['', 'connections', 'CPU µs', 'main thread', 'req/s', 'p50 ms', 'p99 ms'];

/**
 * Measures the hot path within a minute, for developers who change it. With one process each, so
 * the figures are rough.
 */
export function measureHotPath(say: (line: string) => void): Promise<string> {
  return inNewFolder(async (folder) => {
    const raw = new BenchServer(await ServerProcess.floor('raw'), null);
    const dataDir = join(folder, 'sqlite');
    const service = new BenchServer(await ServerProcess.service(dataDir), {
      dataDir,
      book: OWN_BOOK,
    });
    const startedDir = join(folder, 'as-started');
    const asStarted = new BenchServer(await ServerProcess.asStarted(startedDir), {
      dataDir: startedDir,
      book: OWN_BOOK,
    });
    try {
      return await measureLines({ raw, service, asStarted }, say);
    } finally {
      await Promise.all([raw, service, asStarted].map((server) => server.stop()));
    }
  });
}

interface QuickServers {
  readonly raw: BenchServer;
  readonly service: BenchServer;
  readonly asStarted: BenchServer;
}

async function measureLines(
  { raw, service, asStarted }: QuickServers,
  say: (line: string) => void,
): Promise<string> {
  say('warm-up');
  await raw.measure([{ kind: 'raw', connections: 64 }], 1);
  for (const server of [service, asStarted]) await warmUp(server);
  const lines: string[][] = [];
  for (const kind of KINDS) {
    say(kind);
    for (const connections of CONNECTIONS) {
      await prepare(service, kind);
      const server = kind === 'raw' ? raw : service;
      const round = await server.measure([{ kind, connections }], SECONDS);
      lines.push(lineOf(kind, String(connections), round));
    }
  }
  for (const kind of ['login', 'longPollLogin'] as const) {
    const light = await service.measure([{ ...LIGHT, kind }], LIGHT_SECONDS);
    lines.push(lineOf(kind, `${LIGHT.connections}, paced`, light));
  }
  for (const kind of ['status', 'start'] as const) {
    await prepare(asStarted, kind);
    const round = await asStarted.measure([{ kind, connections: 64 }], SECONDS);
    lines.push(lineOf(kind, '64, as started', round));
  }
  const paced = await asStarted.measure([{ ...LIGHT, kind: 'login' }], LIGHT_SECONDS);
  lines.push(lineOf('login', `${LIGHT.connections}, paced, as started`, paced));
  return `${table(HEADING, lines)}\n\n"login", "longPollLogin": CPU and rate of a whole one, times of its requests\n`;
}

async function warmUp(server: BenchServer): Promise<void> {
  for (const pauses of [{}, { pauseMs: 5 }]) {
    await server.measure([{ kind: 'login', connections: 64, ...pauses }], 2);
  }
}

async function prepare(service: BenchServer, kind: Kind): Promise<void> {
  if (kind === 'status') await service.prepare('start', { pending: POLLED });
  if (kind === 'complete') {
    await service.prepare('start', { pending: MOST_PENDING });
  }
  if (kind === 'token') {
    await service.prepare('start', { authenticated: AUTHENTICATED });
  }
}

function lineOf(kind: Kind, connections: string, round: Round): string[] {
  const requests = requestsOf(kind);
  const whole = (value: number | null) => (value === null ? '' : (value * requests).toFixed(0));
  return [
    kind,
    connections,
    whole(round.cpuMicroseconds),
    whole(round.mainMicroseconds),
    (round.perSecond / requests).toFixed(0),
    round.p50.toFixed(2),
    round.p99.toFixed(2),
  ];
}
