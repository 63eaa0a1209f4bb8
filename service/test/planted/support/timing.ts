import { join } from 'node:path';
import { runBounded } from './bounded-program.ts';
import type { Workshop } from './checkout-copy.ts';
import { plant } from './plant.ts';
import type { Mistake } from './planted-bug.ts';

/** |t| below the first shows no difference; above the second it shows one, on any machine. */
export const NOTHING_SHOWS = 4.5;
export const IT_SHOWS = 10;

const PROGRAM = join('service', 'test', 'timing', 'attempt-lookup.ts');
const LIMIT_MS = 300_000;

/** |t| of pending attempts read with a wrong token, against attempts that do not exist. */
export interface Timings {
  readonly plain: number;
  /** The first measurement, if it had to be repeated. */
  readonly noisy: number | null;
  readonly planted: number;
}

/**
 * A busy machine can show a difference by chance, so the measurement without a bug is repeated
 * once.
 */
export async function measureTimings(
  workshop: Workshop,
  bug: Mistake,
  samples: number,
): Promise<Timings> {
  const first = await measure(workshop, samples);
  const noisy = first < NOTHING_SHOWS ? null : first;
  const plain = noisy === null ? first : await measure(workshop, samples);
  const restore = plant(workshop.copy, bug);
  try {
    return { plain, noisy, planted: await measure(workshop, samples) };
  } finally {
    restore();
  }
}

async function measure(workshop: Workshop, samples: number): Promise<number> {
  const args = [PROGRAM, '--json', '--samples', String(samples)];
  const { output, isLate } = await runBounded(workshop, args, LIMIT_MS);
  const text = output.split('\n').find((line) => line.startsWith('[{"kind"'));
  if (isLate || text === undefined) throw new Error(`nothing was measured: ${output}`);
  const figures = JSON.parse(text) as readonly { kind: string; t: number }[];
  const t = figures.find(({ kind }) => kind === 'pending')?.t;
  if (t === undefined) throw new Error(`pending attempts were not measured: ${text}`);
  return Math.abs(t);
}
