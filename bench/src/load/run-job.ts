import { setTimeout as pause } from 'node:timers/promises';
import { percentile } from '../figures/figures.ts';
import type { Attempts } from './attempts.ts';
import { numbersFrom } from './chance.ts';
import { Connection, type Answer } from './connection.ts';
import { sourceOf, type Source } from './exchanges.ts';
import { OpenLoop } from './open-loop.ts';
import type { Exchange } from './requests.ts';
import type { Job, Report, Stream, StreamReport } from './job.ts';
import { Steps } from './steps.ts';

const steps = new Steps();

/** The connections of one caller. */
interface Caller {
  readonly requests: Connection;
  /** Null: the stream has no long polls. */
  readonly longPolls: Connection | null;
}

interface Course {
  readonly latencies: number[];
  /** Null: no pauses. */
  readonly pauses: (() => number) | null;
}

/** @throws Error at the first wrong answer, because the speed of wrong answers is meaningless */
export async function runJob(job: Job, attempts: Attempts): Promise<Report> {
  attempts.dropOld(performance.now());
  const cpuBefore = process.cpuUsage();
  const startedAt = performance.now();
  const streams = await Promise.all(job.streams.map((stream) => run(stream, job, attempts)));
  const { user, system } = process.cpuUsage(cpuBefore);
  return {
    streams,
    busy: (user + system) / 1000 / (performance.now() - startedAt),
    acknowledged: attempts.acknowledged,
    pending: attempts.pending,
    authenticated: attempts.authenticated,
  };
}

async function run(stream: Stream, job: Job, attempts: Attempts): Promise<StreamReport> {
  const connections = await openAll(stream.connections, job.port);
  const longPolls =
    stream.kind === 'longPollLogin' ? await openAll(stream.connections, job.port) : [];
  const startedAt = performance.now();
  const whole = sourceOf(stream.kind, attempts, job.port);
  const asked = job.step === undefined ? whole : steps.sourceOf(whole, job.step);
  const source = bounded(asked, job, startedAt);
  const latencies = await latenciesOf(stream, { connections, longPolls }, source);
  const seconds = (performance.now() - startedAt) / 1000;
  for (const connection of [...connections, ...longPolls]) connection.close();
  const sorted = Float64Array.from(latencies).toSorted();
  return {
    answers: latencies.length,
    seconds,
    p50: percentile(sorted, 0.5),
    p99: percentile(sorted, 0.99),
    p999: percentile(sorted, 0.999),
  };
}

/** The latency of each answer, in milliseconds. */
async function latenciesOf(
  stream: Stream,
  { connections, longPolls }: Record<'connections' | 'longPolls', readonly Connection[]>,
  source: Source,
): Promise<readonly number[]> {
  if (stream.perSecond !== undefined) {
    const loop = new OpenLoop(connections);
    await loop.run(source, stream.perSecond);
    return loop.latencies;
  }
  const latencies: number[] = [];
  const drives = connections.map((requests, index) =>
    drive({ requests, longPolls: longPolls[index] ?? null }, source, {
      latencies,
      pauses: pausesOf(stream, index),
    }),
  );
  await Promise.all(drives);
  return latencies;
}

async function drive(
  { requests, longPolls }: Caller,
  source: Source,
  { latencies, pauses }: Course,
): Promise<void> {
  let exchange = source();
  while (exchange !== null) {
    const { longPoll } = exchange;
    const ended = longPoll && longPolls?.exchange(longPoll.request);
    if (pauses !== null) await pause(pauses());
    const sentAt = performance.now();
    requireRight(exchange, await requests.exchange(exchange.request));
    latencies.push(performance.now() - sentAt);
    if (longPoll && ended) requireRight(longPoll, await ended);
    exchange = exchange.next?.() ?? source();
  }
}

function requireRight({ accept }: Pick<Exchange, 'accept'>, answer: Answer): void {
  if (!accept(answer)) throw new Error(`a wrong answer: ${JSON.stringify(answer)}`);
}

/** Ends at the job's time or count. Requests in progress are still awaited and counted. */
function bounded(source: Source, { seconds, requests }: Job, startedAt: number): Source {
  let left = requests;
  return () => {
    left -= 1;
    return left < 0 || performance.now() - startedAt >= seconds * 1000 ? null : source();
  };
}

/** Random pauses from half to one and a half of the stream's pause. */
function pausesOf({ pauseMs }: Stream, index: number): (() => number) | null {
  if (pauseMs === undefined) return null;
  const chance = numbersFrom(index + 1);
  return () => pauseMs * (0.5 + chance());
}

function openAll(count: number, port: number): Promise<Connection[]> {
  return Promise.all(Array.from({ length: count }, () => Connection.open(port)));
}
