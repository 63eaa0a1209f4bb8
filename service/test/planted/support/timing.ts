import { join } from 'node:path';
import { runBounded } from './bounded-program.ts';
import type { Workshop } from './checkout-copy.ts';
import { plant } from './plant.ts';
import type { Mistake } from './planted-bug.ts';

/** Below the first, nothing shows; above the second, a difference does, on any machine. */
export const NOTHING_SHOWS = 4.5;
export const IT_SHOWS = 10;

const PROGRAM = join('service', 'test', 'timing', 'attempt-lookup.ts');
const LIMIT_MS = 300_000;

/** |t| of pending attempts, asked for with a wrong token, against attempts that do not exist. */
export interface Timings {
  readonly plain: number;
  /** The first measure of it, where it had to be taken again. */
  readonly noisy: number | null;
  readonly planted: number;
}

/** A busy machine can make a difference of nothing, so the plain measure has a second try. */
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
