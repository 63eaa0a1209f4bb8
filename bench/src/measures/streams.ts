import { loadavg } from 'node:os';
import { setTimeout as pause } from 'node:timers/promises';
import { HeldStreams } from '../load/held-streams.ts';
import { LoadProcess } from '../load/load-process.ts';
import { inNewFolder } from '../servers/data-folder.ts';
import { openFilesLimit } from '../servers/process-usage.ts';
import { ServerProcess } from '../servers/server-process.ts';

const KILOBYTE = 1024;
const WANTED = 20_000;
/** Files of the service besides its streams, and connections of the load. */
const OTHER_FILES = 200;
/** Each has a share of the streams, and of the files that a process may open. */
const HOLDERS = 4;
const STREAMS_OF_AN_ATTEMPT = 2;
/** One client gets three quarters of the places. */
const WAITERS = 30_000;
const LOGINS = { kind: 'login', connections: 8, pauseMs: 80 } as const;
const LOGIN_SECONDS = 10;
/** Longer than the pause between two reads of one who waits. */
const SETTLE_MS = 12_000;

/** Single requests of logins, in milliseconds. */
export interface LoginTimes {
  readonly p50: number;
  readonly p99: number;
  readonly perSecond: number;
}

/** What one open stream adds to the memory of a server. */
export interface StreamMemory {
  readonly streams: number;
  /** After a garbage collection. */
  readonly heapKilobytes: number;
  /** Of the whole process, after the same collection; null if the system does not provide it. */
  readonly residentKilobytes: number | null;
}

export interface StreamsMeasured {
  readonly wanted: number;
  /** A server of only Node. */
  readonly floor: StreamMemory;
  readonly service: StreamMemory;
  /** Streams of the service that ended during the measurement. */
  readonly ended: number;
  readonly loginsAlone: LoginTimes;
  readonly loginsBeside: LoginTimes;
  /** Processors that the service uses for the open streams alone. */
  readonly busy: number | null;
  /** The load average of the machine at the end. */
  readonly load: number;
}

/** The memory of open event streams, and logins beside them. */
export async function measureStreams(say: (line: string) => void): Promise<StreamsMeasured> {
  const possible = Math.min(WANTED, openFilesLimit() - OTHER_FILES);
  const streams = possible - (possible % (HOLDERS * STREAMS_OF_AN_ATTEMPT));
  say(`${streams} streams of a server of only Node`);
  const floor = await beside(await ServerProcess.streamFloor(), streams);
  const measured = await inNewFolder(async (dataDir) => {
    const server = await ServerProcess.variant('sqlite', dataDir, WAITERS);
    const load = new LoadProcess();
    try {
      say('logins alone');
      const loginsAlone = await loginTimes(load, server.port);
      say(`${streams} streams of the service`);
      return { loginsAlone, ...(await beside(server, streams, load)) };
    } finally {
      load.stop();
    }
  });
  const { memory, ended, busy, loginsAlone, loginsBeside } = measured;
  if (loginsBeside === null) throw new Error('no logins were measured');
  const of = { wanted: WANTED, floor: floor.memory, service: memory, ended, busy };
  return { ...of, loginsAlone, loginsBeside, load: loadavg()[0] ?? 0 };
}

/** Opens the streams of a server, measures, and stops the server. */
async function beside(server: ServerProcess, streams: number, load?: LoadProcess) {
  const held = new HeldStreams(server.port, HOLDERS);
  try {
    await held.start(streams / STREAMS_OF_AN_ATTEMPT);
    const before = await memoryOf(server);
    await held.open();
    await pause(SETTLE_MS);
    const busy = await busyOf(server);
    const after = await memoryOf(server);
    const loginsBeside = load === undefined ? null : await loginTimes(load, server.port);
    const { open, ended } = await held.count();
    return { memory: perStream(before, after, open + ended), ended, busy, loginsBeside };
  } finally {
    held.stop();
    await server.stop();
  }
}

interface Memory {
  readonly heap: number;
  readonly resident: number | null;
}

async function memoryOf(server: ServerProcess): Promise<Memory> {
  const heap = await server.heapBytes();
  return { heap, resident: server.residentBytes() };
}

function perStream(before: Memory, after: Memory, streams: number): StreamMemory {
  const resident =
    before.resident === null || after.resident === null ? null : after.resident - before.resident;
  return {
    streams,
    heapKilobytes: (after.heap - before.heap) / streams / KILOBYTE,
    residentKilobytes: resident === null ? null : resident / streams / KILOBYTE,
  };
}

/** Processors in use, over five seconds. */
async function busyOf(server: ServerProcess): Promise<number | null> {
  const seconds = 5;
  const before = server.cpuTime();
  await pause(seconds * 1000);
  const after = server.cpuTime();
  return before === null || after === null ? null : (after.all - before.all) / seconds;
}

async function loginTimes(load: LoadProcess, port: number): Promise<LoginTimes> {
  const { streams } = await load.run({
    port,
    streams: [LOGINS],
    seconds: LOGIN_SECONDS,
    requests: Number.MAX_SAFE_INTEGER,
  });
  const [report] = streams;
  if (report === undefined) throw new Error('the load generator has reported nothing');
  return { p50: report.p50, p99: report.p99, perSecond: report.answers / report.seconds };
}
