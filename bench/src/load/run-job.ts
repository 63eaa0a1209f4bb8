import { percentile } from '../figures/figures.ts';
import type { Attempts } from './attempts.ts';
import { Connection } from './connection.ts';
import { sourceOf, type Source } from './exchanges.ts';
import type { Job, Report, Stream, StreamReport } from './job.ts';

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
  await Promise.all(connections.map((one) => drive(one, source, latencies)));
  const seconds = (performance.now() - startedAt) / 1000;
  for (const connection of connections) connection.close();
  const sorted = Float64Array.from(latencies).toSorted();
  const [p50, p99] = [percentile(sorted, 0.5), percentile(sorted, 0.99)];
  return { answers: latencies.length, seconds, p50, p99 };
}

async function drive(connection: Connection, source: Source, latencies: number[]): Promise<void> {
  for (let exchange = source(); exchange !== null; exchange = source()) {
    const sentAt = performance.now();
    const answer = await connection.exchange(exchange.request);
    latencies.push(performance.now() - sentAt);
    if (!exchange.accept(answer)) throw new Error(`a wrong answer: ${JSON.stringify(answer)}`);
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

function openAll(count: number, port: number): Promise<Connection[]> {
  return Promise.all(Array.from({ length: count }, () => Connection.open(port)));
}
