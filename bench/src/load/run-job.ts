import { setTimeout as pause } from 'node:timers/promises';
import { percentile } from '../figures/figures.ts';
import type { Attempts } from './attempts.ts';
import { Connection } from './connection.ts';
import { sourceOf, type Source } from './exchanges.ts';
import type { Job, Report, Stream, StreamReport } from './job.ts';

interface Course {
  readonly latencies: number[];
  /** Null: no pauses. */
  readonly pauses: (() => number) | null;
}

/** @throws Error at the first wrong answer: how fast a server is wrong is of no interest. */
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
  const latencies: number[] = [];
  const startedAt = performance.now();
  const source = bounded(sourceOf(stream.kind, attempts, job.port), job, startedAt);
  await Promise.all(
    connections.map((one, index) => {
      const pauses = pausesOf(stream, index);
      return drive(one, source, { latencies, pauses });
    }),
  );
  const seconds = (performance.now() - startedAt) / 1000;
  for (const connection of connections) connection.close();
  const sorted = Float64Array.from(latencies).toSorted();
  const [p50, p99] = [percentile(sorted, 0.5), percentile(sorted, 0.99)];
  return { answers: latencies.length, seconds, p50, p99 };
}

async function drive(
  connection: Connection,
  source: Source,
  { latencies, pauses }: Course,
): Promise<void> {
  let exchange = source();
  while (exchange !== null) {
    if (pauses !== null) await pause(pauses());
    const sentAt = performance.now();
    const answer = await connection.exchange(exchange.request);
    latencies.push(performance.now() - sentAt);
    if (!exchange.accept(answer)) throw new Error(`a wrong answer: ${JSON.stringify(answer)}`);
    exchange = exchange.next?.() ?? source();
  }
}

/** Ends at the job's time or count. What is under way then is still waited for and counted. */
function bounded(source: Source, { seconds, requests }: Job, startedAt: number): Source {
  let left = requests;
  return () => {
    left -= 1;
    return left < 0 || performance.now() - startedAt >= seconds * 1000 ? null : source();
  };
}

/** From half to one and a half of the stream's pause, the same ones in every run. */
function pausesOf({ pauseMs }: Stream, index: number): Course['pauses'] {
  if (pauseMs === undefined) return null;
  let state = index + 1;
  return () => {
    // The "minimal standard" generator of Park and Miller (1988).
    state = (state * 48_271) % 2_147_483_647;
    return pauseMs * (0.5 + state / 2_147_483_647);
  };
}

function openAll(count: number, port: number): Promise<Connection[]> {
  return Promise.all(Array.from({ length: count }, () => Connection.open(port)));
}
