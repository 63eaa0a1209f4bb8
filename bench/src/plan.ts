/** How much is measured. */
export interface Plan {
  readonly connections: number;
  readonly rounds: number;
  readonly roundSeconds: number;
  readonly warmUpSeconds: number;
  readonly spawns: number;
}

export const FULL: Plan = {
  connections: 64,
  rounds: 7,
  roundSeconds: 3,
  warmUpSeconds: 3,
  spawns: 5,
};

/** @throws Error for an argument that is not known */
export function isQuick(args: readonly string[]): boolean {
  const unknown = args.filter((arg) => arg !== '--quick');
  if (unknown.length > 0) throw new Error(`unknown: ${unknown.join(' ')}. There is --quick only`);
  return args.includes('--quick');
}
