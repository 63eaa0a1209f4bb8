/** How much is measured. */
export interface Plan {
  /** Of each server, one after the other. */
  readonly processes: number;
  /** Of each contender in each process. */
  readonly rounds: number;
  readonly roundSeconds: number;
  readonly warmUpSeconds: number;
  /** At each rate, in each process. */
  readonly openLoopSeconds: number;
  readonly spawns: number;
}

export const FULL: Plan = {
  processes: 3,
  rounds: 3,
  roundSeconds: 1.5,
  warmUpSeconds: 1,
  openLoopSeconds: 2,
  spawns: 5,
};

/** Everything once: enough to see whether the benchmark itself works. */
export const BRIEF: Plan = {
  processes: 1,
  rounds: 1,
  roundSeconds: 0.5,
  warmUpSeconds: 0.5,
  openLoopSeconds: 0.5,
  spawns: 1,
};

export const MODES = ['--quick', '--brief'] as const;
export type Mode = (typeof MODES)[number] | 'full';

/** @throws Error for an argument that is not known */
export function modeOf(args: readonly string[]): Mode {
  const [first, ...others] = args;
  if (first === undefined) return 'full';
  const mode = MODES.find((name) => name === first);
  if (mode === undefined || others.length > 0) {
    throw new Error(`unknown: ${args.join(' ')}. There is one of ${MODES.join(', ')}, or nothing`);
  }
  return mode;
}
