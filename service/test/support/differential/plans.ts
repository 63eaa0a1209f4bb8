import * as fc from 'fast-check';
import {
  signIns,
  transitions,
  type Operation,
  type Transition,
} from '../../conformance/store-arbitraries.ts';

/** Sequences that are played side by side, so that stores which share commits do. */
export const SEQUENCES = 64;
const LENGTH = 60;
const BEFORE = { minLength: 8, maxLength: 30 };
const RACING = { minLength: 2, maxLength: 4 };

/** The same seed gives the same sequences. */
export function plannedRounds(seed: number): Operation[][] {
  const sequence = fc.array(signIns, { minLength: LENGTH, maxLength: LENGTH });
  return fc.sample(sequence, { seed, numRuns: SEQUENCES });
}

export interface PlannedRace {
  readonly before: readonly Operation[];
  readonly racing: readonly Transition[];
}

/**
 * Without a purge, which would remove rows of the sequences beside. A revocation changes what began
 * later by the clock of another sequence, so there are either revocations or clocks that move.
 */
export function plannedRaces(seed: number): PlannedRace[] {
  const left = seed % 4 === 1 ? 'advance' : 'revokeAll';
  const own = signIns.filter(({ op }) => op !== 'purge' && op !== left);
  const race = fc.record({
    before: fc.array(own, BEFORE),
    racing: fc.array(
      transitions.filter(({ op }) => op !== left),
      RACING,
    ),
    isSameSlot: fc.boolean(),
  });
  return fc.sample(race, { seed, numRuns: SEQUENCES }).map(({ before, racing, isSameSlot }) => {
    const slot = racing[0]?.slot ?? 0;
    return { before, racing: isSameSlot ? racing.map((one) => ({ ...one, slot })) : racing };
  });
}
