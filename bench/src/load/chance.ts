/**
 * The "minimal standard" random generator of Park and Miller (1988), with the same numbers in every
 * run.
 */
const FACTOR = 48_271;
const MODULUS = 2_147_483_647;

/** Numbers above 0 and below 1. */
export function numbersFrom(seed: number): () => number {
  let state = seed % MODULUS || 1;
  return () => {
    state = (state * FACTOR) % MODULUS;
    return state / MODULUS;
  };
}
