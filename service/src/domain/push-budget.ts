import { keyedDigestText, type Digest } from './digest.ts';
import type { NationalId } from './national-id.ts';
import { DAY_MS, MINUTE_MS, type Ms } from './time.ts';

/** At most `quota` pushes in any stretch of time of this length. */
export interface PushWindow {
  readonly quota: number;
  readonly lengthMs: Ms;
}

/**
 * How many prompts may reach phones. A person can't be worn down by prompts, and nobody can fish
 * for the one person in a thousand who approves whatever comes.
 */
export interface PushBudget {
  readonly person: readonly PushWindow[];
  readonly client: PushWindow;
  readonly service: PushWindow;
  /** After a refusal, for this long nothing is sent to the person. */
  readonly coolDownMs: Ms;
}

export const PUSH_BUDGET: PushBudget = {
  person: [
    { quota: 3, lengthMs: 10 * MINUTE_MS },
    { quota: 10, lengthMs: DAY_MS },
  ],
  client: { quota: 120, lengthMs: MINUTE_MS },
  service: { quota: 600, lengthMs: MINUTE_MS },
  coolDownMs: 2 * MINUTE_MS,
};

/** How long a push counts: after that no window of the budget has it any more. */
export function longestWindow({ person, client, service }: PushBudget): Ms {
  return Math.max(...[...person, client, service].map(({ lengthMs }) => lengthMs));
}

/** Under what a person's pushes are counted: the table does not say whose they are. */
export function budgetDigest(serverKey: Uint8Array, nationalId: NationalId): Digest {
  return keyedDigestText(serverKey, 'push-budget', nationalId);
}
