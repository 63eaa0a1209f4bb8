import { median } from '../figures/figures.ts';
import { POLLED } from '../load/attempts.ts';
import type { Round } from './bench-server.ts';
import type { Servers } from './servers.ts';

/** Enough connections that no request waits for one unless the server is very late. */
const CONNECTIONS = 256;

export const LEVELS = [0.25, 0.5, 0.75, 0.9] as const;
export const LOOPS = ['status', 'start'] as const;

/** The latencies at a rate that is a share of the same process's highest rate. */
export interface LoopSample {
  readonly kind: (typeof LOOPS)[number];
  readonly level: (typeof LEVELS)[number];
  readonly process: number;
  readonly perSecond: number;
  /** Milliseconds after the request was due. */
  readonly p50: number;
  readonly p99: number;
  readonly p999: number;
}

type Peaks = Readonly<Record<LoopSample['kind'], readonly Round[]>>;

export async function measureOpenLoops(
  { sqlite }: Servers,
  peaks: Peaks,
  { process, seconds }: { process: number; seconds: number },
): Promise<LoopSample[]> {
  const samples: LoopSample[] = [];
  for (const kind of LOOPS) {
    const peak = median(peaks[kind].map((round) => round.perSecond));
    for (const level of LEVELS) {
      await sqlite.prepare('start', { pending: POLLED });
      const stream = { kind, connections: CONNECTIONS, perSecond: peak * level };
      const { perSecond, p50, p99, p999 } = await sqlite.measure([stream], seconds);
      samples.push({ kind, level, process, perSecond, p50, p99, p999 });
    }
  }
  return samples;
}
