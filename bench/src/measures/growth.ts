import { join } from 'node:path';
import { median, ratioOfRounds } from '../figures/figures.ts';
import { POLLED } from '../load/attempts.ts';
import { inNewFolder } from '../servers/data-folder.ts';
import { fillFolder, filledBook } from '../servers/fill.ts';
import { ServerProcess } from '../servers/server-process.ts';
import { BenchServer, type Round } from './bench-server.ts';
import { CONNECTIONS } from './contenders.ts';
import { measureCrowd, type Crowd } from './crowd.ts';

const KINDS = ['start', 'status'] as const;
const PROCESSES = 3;
const ROUNDS = 2;
const SECONDS = 2;

export interface GrowthLine {
  readonly kind: (typeof KINDS)[number];
  readonly attempts: number;
  readonly rounds: readonly Round[];
  readonly perSecond: number;
  readonly p99: number;
  readonly cpuMicroseconds: number;
  /** The rate relative to the smallest database, per round. */
  readonly ratio: number;
}

export interface Growth {
  readonly lines: readonly GrowthLine[];
  readonly crowd: Crowd;
}

/**
 * The same requests on databases with increasing numbers of attempts, each with its own service, at
 * the same time.
 */
export async function measureGrowth(
  sizes: readonly number[],
  say: (line: string) => void,
): Promise<Growth> {
  say('100,000 people who wait');
  const crowd = await measureCrowd();
  const lines = await inNewFolder(async (folder) => {
    const dataDirOf = (size: number) => join(folder, String(size));
    for (const size of sizes) {
      say(`a database of ${size} attempts`);
      await fillFolder(dataDirOf(size), size);
    }
    const rounds = new Map<string, Round[]>();
    const stored = new Map(sizes.map((size) => [size, size]));
    for (let process = 0; process < PROCESSES; process += 1) {
      say(`rounds, process ${process + 1} of ${PROCESSES}`);
      await runProcess(stored, dataDirOf, rounds);
    }
    return linesOf(sizes, rounds);
  });
  return { lines, crowd };
}

/** @param stored the current number of attempts in each database; it is updated */
async function runProcess(
  stored: Map<number, number>,
  dataDirOf: (size: number) => string,
  rounds: Map<string, Round[]>,
): Promise<void> {
  const servers = new Map<number, BenchServer>();
  for (const [size, attempts] of stored) {
    const dataDir = dataDirOf(size);
    const proof = { dataDir, book: filledBook(attempts) };
    servers.set(size, new BenchServer(await ServerProcess.service(dataDir), proof));
  }
  try {
    for (let round = -1; round < ROUNDS; round += 1) {
      for (const kind of KINDS) {
        for (const [size, server] of servers) {
          if (kind === 'status') await server.prepare('start', { pending: POLLED });
          const measured = await server.measure([{ kind, connections: CONNECTIONS }], SECONDS);
          const key = keyOf(kind, size);
          if (round >= 0) rounds.set(key, [...(rounds.get(key) ?? []), measured]);
        }
      }
    }
  } finally {
    for (const [size, server] of servers) {
      stored.set(size, (stored.get(size) ?? 0) + server.acknowledged.attempts);
      await server.stop();
    }
  }
}

function linesOf(sizes: readonly number[], rounds: ReadonlyMap<string, Round[]>): GrowthLine[] {
  const [least = 0] = sizes;
  return KINDS.flatMap((kind) =>
    sizes.map((attempts) => {
      const own = rounds.get(keyOf(kind, attempts)) ?? [];
      const fewest = rounds.get(keyOf(kind, least)) ?? [];
      return {
        kind,
        attempts,
        rounds: own,
        perSecond: median(ratesOf(own)),
        p99: median(own.map(({ p99 }) => p99)),
        cpuMicroseconds: median(own.map(({ cpuMicroseconds }) => cpuMicroseconds ?? Number.NaN)),
        ratio: ratioOfRounds(ratesOf(own), ratesOf(fewest)),
      };
    }),
  );
}

function ratesOf(rounds: readonly Round[]): number[] {
  return rounds.map(({ perSecond }) => perSecond);
}

function keyOf(kind: string, size: number): string {
  return `${kind} ${size}`;
}
