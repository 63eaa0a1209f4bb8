import type { Workshop } from './checkout-copy.ts';
import { findMistyped } from './mistyped.ts';
import { runNamedTests, type Outcome } from './named-tests.ts';
import { plant, StaleBug, textsWith } from './plant.ts';
import type { PlantedBug } from './planted-bug.ts';

/**
 * - `red`: the test notices the bug, as it should.
 * - `not caught`: the test is green with the bug in the sources.
 * - `stale`: the sources have changed, and the bug does not fit them any more.
 * - `broken`: there is no such program, or the test came to no verdict of its own.
 * - `not green`: the test is not even green without the bug.
 */
export type Verdict = 'red' | 'not caught' | 'stale' | 'broken' | 'not green';

export interface Judged {
  readonly bug: PlantedBug;
  readonly verdict: Verdict;
  readonly reason: string;
}

export interface Limits {
  /** The time limit for all tests together, without a bug. */
  readonly soundMs: number;
  /** The time limit for one test with its bug. */
  readonly bugMs: number;
}

/**
 * Reports the verdict of each bug as soon as it is known, in no particular order. In each workshop
 * there is one bug at a time.
 */
export async function judgeBugs(
  [workshop, ...others]: readonly [Workshop, ...Workshop[]],
  bugs: readonly PlantedBug[],
  limits: Limits,
  tell: (judged: Judged) => void,
): Promise<void> {
  const fitting = bugs.filter((bug) => {
    const reason = staleness(workshop, bug);
    if (reason !== null) tell({ bug, verdict: 'stale', reason });
    return reason === null;
  });
  const mistyped = await findMistyped(workshop, fitting);
  for (const [bug, reason] of mistyped) tell({ bug, verdict: 'broken', reason });
  const typed = fitting.filter((bug) => !mistyped.has(bug));
  const left = (await keepGreen(workshop, typed, limits, tell)).values();
  await Promise.all(
    [workshop, ...others].map(async (one) => {
      for (const bug of left) tell({ bug, ...(await judgeBug(one, bug, limits)) });
    }),
  );
}

function staleness({ copy }: Workshop, bug: PlantedBug): string | null {
  try {
    textsWith(copy, bug);
    return null;
  } catch (error) {
    if (error instanceof StaleBug) return error.message;
    throw error;
  }
}

/** The bugs whose tests succeed without the bug. */
async function keepGreen(
  workshop: Workshop,
  bugs: readonly PlantedBug[],
  { soundMs }: Limits,
  tell: (judged: Judged) => void,
): Promise<PlantedBug[]> {
  if (bugs.length === 0) return [];
  const tests = bugs.map(({ test }) => test);
  const outcomes = await runNamedTests(workshop, tests, soundMs);
  return bugs.filter((bug, index) => {
    const outcome = outcomes[index];
    if (outcome === undefined || outcome.kind === 'passed') return true;
    tell({ bug, verdict: 'not green', reason: outcome.reason });
    return false;
  });
}

const VERDICTS = { passed: 'not caught', red: 'red', broken: 'broken' } as const satisfies Record<
  Outcome['kind'],
  Verdict
>;

async function judgeBug(workshop: Workshop, bug: PlantedBug, { bugMs }: Limits) {
  const restore = plant(workshop.copy, bug);
  try {
    const [outcome] = await runNamedTests(workshop, [bug.test], bugMs);
    if (outcome === undefined) throw new Error('one test has one outcome');
    const reason = outcome.kind === 'passed' ? '' : outcome.reason;
    return { verdict: VERDICTS[outcome.kind], reason };
  } finally {
    restore();
  }
}
