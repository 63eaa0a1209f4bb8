import { spawn } from 'node:child_process';
import process from 'node:process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { COMPILE_CACHE } from '../../../../../scripts/compile-cache.mjs';
import type { AtEnd } from '../../at-end.ts';
import type { SeededRandom } from '../seeded-random.ts';
import { quantile, type SteadyRate } from './changes.ts';

const PROGRAM = fileURLToPath(new URL('starts-program.ts', import.meta.url));

export interface StartsOrder extends SteadyRate {
  readonly origins: readonly string[];
  readonly keys: readonly string[];
}

export interface StartsDone {
  /** How long each start took. */
  readonly ms: readonly number[];
  /** Ids of the attempts. */
  readonly ended: readonly string[];
  readonly started: number;
  readonly unanswered: number;
  readonly faults: readonly string[];
}

/** Starts at a steady rate, by a process of their own. */
export function steadyStarts(atEnd: AtEnd): (order: StartsOrder) => Promise<StartsDone> {
  const env = { NODE_COMPILE_CACHE: COMPILE_CACHE };
  const stdio = ['pipe', 'pipe', 'inherit'] as const;
  const child = spawn(process.execPath, [PROGRAM], { env, stdio: [...stdio] });
  atEnd(() => void child.kill());
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  return async (order) => {
    child.stdin.write(`${JSON.stringify(order)}\n`);
    const line = await lines.next();
    if (line.done === true) throw new Error('the process that starts attempts has ended');
    return JSON.parse(line.value) as StartsDone;
  };
}

/**
 * Each round has all of them: without receivers; twice without, while another process calls receivers
 * as the service has called them before; and beside receivers. How far the two that are the same
 * differ is chance.
 */
export const HALVES = ['alone', 'loaded', 'control', 'beside'] as const;
export type Half = (typeof HALVES)[number];

/** How long starts took in a round. */
export type Round = Readonly<Record<Half, readonly number[]>>;

/** Each is as often at each place, and as often after each other one, because that matters too. */
const ORDERS: readonly (readonly Half[])[] = [
  ['alone', 'loaded', 'beside', 'control'],
  ['loaded', 'control', 'alone', 'beside'],
  ['control', 'beside', 'loaded', 'alone'],
  ['beside', 'alone', 'control', 'loaded'],
];
export const orderOf = (round: number): readonly Half[] => ORDERS[round % ORDERS.length] ?? HALVES;

type Parts = Readonly<Record<'beside' | 'loaded' | 'alone', number>>;

/**
 * The p99 of the starts of one half of one round, in the middle of all rounds: what stops the whole
 * machine for a moment decides the p99 of few rounds.
 */
export interface StartsBeside extends Parts {
  /** In milliseconds, as `beside`, `loaded` and `alone`. */
  readonly medians: Parts;
  /** Beside receivers, to what it is on a machine that is loaded alike: what the service adds. */
  readonly ratio: Compared;
  /** To what it is on a machine without receivers, which the receivers load too. */
  readonly bare: Compared;
  /** Of the two halves that are loaded alike: what the ratio is when there is nothing to find. */
  readonly control: Compared;
}

export interface Compared {
  readonly is: number;
  /** Of 95 %, by rounds that are drawn anew from those that were measured. */
  readonly from: number;
  readonly to: number;
}

/** Starts are slower beside receivers where even the lower end of the ratio is above this. */
const MOST_RATIO = 1.15;

/** @returns a fault, or none */
export function slowerBeside({ beside, loaded, ratio }: StartsBeside): string[] {
  return ratio.from > MOST_RATIO
    ? [`p99 of starts is ${beside} ms beside receivers and ${loaded} ms on a machine loaded alike`]
    : [];
}

const P99 = 0.99;
const MEDIAN = 0.5;
const DRAWN = 2_000;
const TAIL = 0.025;
const rounded = (value: number) => Math.round(value * 100) / 100;

/** The p99 of each half. */
type Tails = Readonly<Record<Half, number>>;
type Of = readonly Half[];
const LOADED: Of = ['loaded', 'control'];

export function comparedStarts(rounds: readonly Round[], random: SeededRandom): StartsBeside {
  const at = (part: number) =>
    rounds.map(({ alone, loaded, control, beside }): Tails => ({
      alone: quantile(alone, part),
      loaded: quantile(loaded, part),
      control: quantile(control, part),
      beside: quantile(beside, part),
    }));
  const tails = at(P99);
  return {
    ...partsOf(tails),
    medians: partsOf(at(MEDIAN)),
    ratio: compared(tails, ['beside'], LOADED, random),
    bare: compared(tails, ['beside'], ['alone'], random),
    control: compared(tails, ['control'], ['loaded'], random),
  };
}

const partsOf = (tails: readonly Tails[]): Parts => ({
  beside: rounded(middleOf(tails, ['beside'])),
  loaded: rounded(middleOf(tails, LOADED)),
  alone: rounded(middleOf(tails, ['alone'])),
});

const middleOf = (tails: readonly Tails[], of: Of) =>
  middle(tails.flatMap((one) => of.map((half) => one[half])));

function middle(values: readonly number[]): number {
  const sorted = values.toSorted((first, second) => first - second);
  const half = sorted.length / 2;
  const [low = Number.NaN, high = low] = sorted.slice(Math.ceil(half) - 1, Math.floor(half) + 1);
  return (low + high) / 2;
}

function compared(tails: readonly Tails[], of: Of, to: Of, random: SeededRandom): Compared {
  const ratio = (some: readonly Tails[]) => middleOf(some, of) / middleOf(some, to);
  const draw = () => ratio(tails.map(() => random.pick(tails)));
  const drawn = Array.from({ length: DRAWN }, draw);
  return {
    is: rounded(ratio(tails)),
    from: rounded(quantile(drawn, TAIL)),
    to: rounded(quantile(drawn, 1 - TAIL)),
  };
}
