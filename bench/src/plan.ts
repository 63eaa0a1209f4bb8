/** How much is measured. */
export interface Plan {
  readonly connections: number;
  readonly rounds: number;
  readonly roundSeconds: number;
  readonly warmUpSeconds: number;
  readonly spawns: number;
  /** Whether the figures are good enough to be kept in a file. */
  readonly isKept: boolean;
}

const FULL: Plan = {
  connections: 64,
  rounds: 7,
  roundSeconds: 3,
  warmUpSeconds: 3,
  spawns: 5,
  isKept: true,
};

/** Enough to see whether everything works and which way a change has gone. */
const QUICK: Plan = {
  ...FULL,
  rounds: 3,
  roundSeconds: 1,
  warmUpSeconds: 1,
  spawns: 3,
  isKept: false,
};

/** @throws Error for an argument that is not known */
export function planOf(args: readonly string[]): Plan {
  const unknown = args.filter((arg) => arg !== '--quick');
  if (unknown.length > 0) throw new Error(`unknown: ${unknown.join(' ')}. There is --quick only`);
  return args.includes('--quick') ? QUICK : FULL;
}
