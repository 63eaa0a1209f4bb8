import type { EnginesPlan } from './measures/engines.ts';
import type { SoakName, SoakPlan } from './measures/soak.ts';

/** How much is measured. */
export interface Plan {
  /** The number of processes of each server, one after another. */
  readonly processes: number;
  /** The number of rounds of each contender in each process. */
  readonly rounds: number;
  readonly roundSeconds: number;
  readonly warmUpSeconds: number;
  /** The duration at each rate, in each process. */
  readonly openLoopSeconds: number;
  readonly spawns: number;
}

const FULL: Plan = {
  processes: 3,
  rounds: 3,
  roundSeconds: 1.5,
  warmUpSeconds: 1,
  openLoopSeconds: 2,
  spawns: 5,
};

/** Measures everything once, to check that the benchmark itself works. */
const BRIEF: Plan = {
  processes: 1,
  rounds: 1,
  roundSeconds: 0.5,
  warmUpSeconds: 0.5,
  openLoopSeconds: 0.5,
  spawns: 1,
};

/** SQLite and PostgreSQL with the same load in turn. */
export const ENGINES: EnginesPlan = { rounds: 3, roundSeconds: 0.8, warmUpSeconds: 2 };

/** Attempts in the databases that are compared. */
const GROWTH = [10_000, 1_000_000] as const;
const LONG_GROWTH = [10_000, 1_000_000, 10_000_000] as const;

const SHORT_SOAK: SoakPlan = { callers: 64, looks: 4, secondsBetween: 5 };
const SOAK: SoakPlan = { callers: 64, looks: 6, secondsBetween: 20 };
/** A machine has other things to do in an hour. */
const LONG_SOAK: SoakPlan = { callers: 16, looks: 12, secondsBetween: 300 };

/** What is measured: a part of the page, or figures that are not stored. */
export type Mode =
  | { readonly kind: 'rates'; readonly plan: Plan; readonly soak: SoakPlan; readonly kept: boolean }
  | { readonly kind: 'quick' }
  | { readonly kind: 'engines'; readonly plan: EnginesPlan }
  | { readonly kind: 'live' }
  | { readonly kind: 'openid' }
  | { readonly kind: 'profile' }
  | { readonly kind: 'growth'; readonly sizes: readonly number[] }
  | { readonly kind: 'soak'; readonly soak: SoakPlan; readonly section: SoakName }
  | { readonly kind: 'streams' }
  | { readonly kind: 'kit' };

const MODES: Readonly<Record<string, Mode>> = {
  '': { kind: 'rates', plan: FULL, soak: SHORT_SOAK, kept: true },
  '--brief': {
    kind: 'rates',
    plan: BRIEF,
    soak: { callers: 64, looks: 2, secondsBetween: 1 },
    kept: false,
  },
  '--quick': { kind: 'quick' },
  '--postgres': { kind: 'engines', plan: ENGINES },
  '--live': { kind: 'live' },
  '--openid': { kind: 'openid' },
  '--profile': { kind: 'profile' },
  '--growth': { kind: 'growth', sizes: GROWTH },
  '--growth-long': { kind: 'growth', sizes: LONG_GROWTH },
  '--streams': { kind: 'streams' },
  '--kit': { kind: 'kit' },
  '--soak': { kind: 'soak', soak: SOAK, section: 'soak' },
  '--soak-long': { kind: 'soak', soak: LONG_SOAK, section: 'soak-long' },
};

const NAMES = Object.keys(MODES).filter((name) => name !== '');

export const USAGE = `Usage: npm run bench [-- ${NAMES.join(' | ')}]
Measures everything, or only what is named. docs/performance.md explains each.`;

/** @throws Error for an unknown argument, which is not repeated */
export function modeOf(args: readonly string[]): Mode {
  const mode = MODES[args.join(' ')];
  if (mode !== undefined) return mode;
  throw new Error(`npm run bench takes no argument, or one of --help, ${NAMES.join(', ')}`);
}
