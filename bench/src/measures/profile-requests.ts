import { join } from 'node:path';
import { POLLED } from '../load/attempts.ts';
import { requestsOf, type Stream } from '../load/job.ts';
import { BenchServer, type ThreadUse } from './bench-server.ts';
import { OWN_BOOK } from '../servers/count-rows.ts';
import { inNewFolder } from '../servers/data-folder.ts';
import type { ThreadGroup, ThreadTime } from '../servers/process-usage.ts';
import { ServerProcess } from '../servers/server-process.ts';
import { mainProfileIn, timesOf, type CpuProfile, type Span } from './cpu-profile.ts';
import { IDLE, layerOf } from './layers.ts';

/** Processor time of one request, or of one login, in microseconds. */
export interface RequestProfile {
  readonly name: string;
  /** Of the main thread. */
  readonly layers: Readonly<Record<string, number>>;
  /** `system` is the part of `all` in the system's calls. */
  readonly threads: Readonly<Record<ThreadGroup, ThreadTime>>;
}

interface Line {
  readonly name: string;
  readonly stream: Stream;
  readonly seconds: number;
  /** How many requests one figure counts. */
  readonly requests: number;
}

const ROUNDS = 4;
const SECONDS = 1.2;
const LIGHT_SECONDS = 3;
/** Beyond this number the simulator drops the oldest. A round that uses them up ends sooner. */
const MOST_PENDING = 9000;
const AUTHENTICATED = 8000;

const LINES: readonly Line[] = [
  ...(['status', 'start', 'complete', 'token'] as const).map((kind) => ({
    name: kind,
    stream: { kind, connections: 64 },
    seconds: SECONDS,
    requests: 1,
  })),
  {
    name: 'login, 32 who pause',
    stream: { kind: 'login', connections: 32, pauseMs: 40 },
    seconds: LIGHT_SECONDS,
    requests: requestsOf('login'),
  },
];

/** The two processes of a profile, both with the same load in turn. */
interface Pair {
  /** Tells the times, which sampling would change. */
  readonly plain: BenchServer;
  /** Tells how the time is divided. */
  readonly sampled: BenchServer;
}

interface Uses {
  readonly plain: readonly ThreadUse[];
  readonly spans: readonly Span[];
}

/**
 * Where the processor time of a request goes. One process is sampled by V8, and tells how its main
 * thread's time is divided. Another one, not sampled, tells how long that is.
 */
export function profileRequests(say: (line: string) => void): Promise<RequestProfile[]> {
  return inNewFolder(async (folder) => {
    const profiles = join(folder, 'profiles');
    const uses = await useBoth(folder, profiles, say);
    const profile = mainProfileIn(profiles);
    return LINES.map((line, index) => profileOf(line, uses[index], profile));
  });
}

async function useBoth(
  folder: string,
  profiles: string,
  say: (line: string) => void,
): Promise<Uses[]> {
  const [plainDir, sampledDir] = [join(folder, 'plain'), join(folder, 'sampled')];
  const pair: Pair = {
    plain: ofData(await ServerProcess.service(plainDir), plainDir),
    sampled: ofData(await ServerProcess.profiled(sampledDir, profiles), sampledDir),
  };
  try {
    for (const server of [pair.plain, pair.sampled]) await warmUp(server);
    return await useInTurn(pair, say);
  } finally {
    await Promise.all([pair.plain.stop(), pair.sampled.stop()]);
  }
}

function ofData(server: ServerProcess, dataDir: string): BenchServer {
  return new BenchServer(server, { dataDir, book: OWN_BOOK });
}

async function warmUp(server: BenchServer): Promise<void> {
  for (const pauses of [{}, { pauseMs: 5 }]) {
    await server.measure([{ kind: 'login', connections: 64, ...pauses }], 2);
  }
}

async function useInTurn({ plain, sampled }: Pair, say: (line: string) => void): Promise<Uses[]> {
  const uses = LINES.map(() => ({ plain: [] as ThreadUse[], spans: [] as Span[] }));
  for (let round = 1; round <= ROUNDS; round += 1) {
    say(`round ${round} of ${ROUNDS}`);
    for (const [index, line] of LINES.entries()) {
      uses[index]?.plain.push(await useOnce(plain, line));
      uses[index]?.spans.push((await useOnce(sampled, line)).span);
    }
  }
  return uses;
}

async function useOnce(server: BenchServer, { stream, seconds }: Line): Promise<ThreadUse> {
  if (stream.kind === 'status') await server.prepare('start', { pending: POLLED });
  if (stream.kind === 'complete') await server.prepare('start', { pending: MOST_PENDING });
  if (stream.kind === 'token') await server.prepare('start', { authenticated: AUTHENTICATED });
  return server.measureThreads([stream], seconds);
}

function profileOf(
  { name, requests }: Line,
  uses: Uses | undefined,
  profile: CpuProfile,
): RequestProfile {
  const { plain = [], spans = [] } = uses ?? {};
  const answers = plain.reduce((sum, use) => sum + use.answers, 0) / requests;
  const group = (of: ThreadGroup) => ({
    all: usedBy(plain, of, 'all') / answers,
    system: usedBy(plain, of, 'system') / answers,
  });
  const threads = { main: group('main'), worker: group('worker'), others: group('others') };
  return { name, layers: layersOf(timesOf(profile, layerOf, spans), threads.main.all), threads };
}

/** In microseconds. */
function usedBy(uses: readonly ThreadUse[], group: ThreadGroup, of: keyof ThreadTime): number {
  const seconds = uses.reduce(
    (sum, { before, after }) => sum + after[group][of] - before[group][of],
    0,
  );
  return seconds * 1e6;
}

/** Divides the microseconds of the main thread as the samples are divided. */
export function layersOf(
  times: ReadonlyMap<string, number>,
  microseconds: number,
): Record<string, number> {
  const busy = [...times].filter(([name]) => name !== IDLE);
  const all = busy.reduce((sum, [, time]) => sum + time, 0);
  return Object.fromEntries(busy.map(([name, time]) => [name, (time / all) * microseconds]));
}
