import type { PlantedBug } from '../support/planted-bug.ts';

const ATTEMPT = 'service/src/attempt/attempt.ts';

/** One for each transition: the model has the rules anew, so it is not wrong in the same way. */
export const TRANSITION_BUGS: readonly PlantedBug[] = [
  {
    name: 'a transition of the domain: an approval keeps the limit of the push',
    edits: [
      {
        file: ATTEMPT,
        from: '    providerExpiresAt: null,\n    authenticatedAt: by.at,',
        to: '    providerExpiresAt: record.providerExpiresAt,\n    authenticatedAt: by.at,',
      },
    ],
    test: ofModel('pending, the provider ends earlier', 'authenticate'),
  },
  {
    name: 'a transition of the domain: what was approved is rejected',
    edits: [
      {
        file: ATTEMPT,
        from: 'return { ...requirePending(attempt).record, rejectedAt: at, endReason };',
        to: 'return { ...requireOpen(attempt).record, rejectedAt: at, endReason };',
      },
    ],
    test: ofModel('authenticated', 'reject'),
  },
  {
    name: "a transition of the domain: what was approved can't fail",
    edits: [
      {
        file: ATTEMPT,
        from: "  if (attempt.state !== 'authenticated') requirePending(attempt);",
        to: '  requirePending(attempt);',
      },
    ],
    test: ofModel('authenticated', 'fail'),
  },
  {
    name: "a transition of the domain: what was approved can't be cancelled",
    edits: [
      {
        file: ATTEMPT,
        from: '  const { record } = requireOpen(attempt);',
        to: '  const { record } = requirePending(attempt);',
      },
    ],
    test: ofModel('authenticated', 'cancel'),
  },
  {
    name: 'a transition of the domain: one wrong code more',
    edits: [
      {
        file: ATTEMPT,
        from: 'counted.completionMisses < COMPLETION_CODE_TRIES',
        to: 'counted.completionMisses <= COMPLETION_CODE_TRIES',
      },
    ],
    test: ofModel('authenticated, one try left', 'countWrongCode'),
  },
  {
    name: 'a transition of the domain: an exchange loses its seal',
    edits: [
      {
        file: ATTEMPT,
        from: 'redeemedAt: by.at, redemption: by.seal };',
        to: 'redeemedAt: by.at, redemption: null };',
      },
    ],
    test: ofModel('authenticated with a code', 'redeem with the right code'),
  },
];

function ofModel(state: string, transition: string): PlantedBug['test'] {
  const suite = 'the model keeps the promises of the store port > transitions';
  return {
    file: 'service/test/store/memory.test.ts',
    name: `${suite} > from ${state} > S-12: ${transition} does what the domain does`,
  };
}
