import { keyedDigestText, type Digest } from '../../values/secret.ts';
import type { NationalId } from '../../account/user.ts';
import { DEFAULT_SCOPE, keyInScope } from '../scenario.ts';
import type { ClientLimits } from '../../values/limits.ts';
import { DAY_MS, MINUTE_MS, type Ms } from '../../values/time.ts';

/** At most `quota` pushes in any period of this length. */
export interface PushWindow {
  readonly quota: number;
  readonly lengthMs: Ms;
  /** Of a window of a person: only the pushes of this client count; absent: those of all. */
  readonly client?: string;
}

/**
 * How many prompts may be sent to phones. The limits protect a person from being worn down by
 * repeated prompts, and all people from an attacker who looks for the few who approve any prompt.
 */
export interface PushBudget {
  readonly person: readonly PushWindow[];
  readonly client: PushWindow;
  readonly service: PushWindow;
  /** After the person refuses a prompt, none is sent to them for this long. */
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

/**
 * The budget that holds for pushes of one client.
 * @param client under whom its pushes are counted
 */
export function budgetOf(
  { pushesPerMinute, pushesPerPersonPerDay }: ClientLimits,
  client: string,
): PushBudget {
  const { person, client: usual } = PUSH_BUDGET;
  const quota = pushesPerMinute ?? usual.quota;
  const own =
    pushesPerPersonPerDay === null
      ? []
      : [{ quota: pushesPerPersonPerDay, lengthMs: DAY_MS, client }];
  return { ...PUSH_BUDGET, client: { ...usual, quota }, person: [...person, ...own] };
}

/** How long a push counts: after that it is outside every window of the budget. */
export function longestWindow({ person, client, service }: PushBudget): Ms {
  return Math.max(...[...person, client, service].map(({ lengthMs }) => lengthMs));
}

/** The keys of the service. */
interface BudgetKeys {
  readonly current: Uint8Array;
  readonly retired: readonly Uint8Array[];
}

/**
 * The keys under which a person's pushes may be counted: under the first from now on. They do not
 * reveal who the person is. In another scope of a simulation the number is another person's.
 */
export function budgetDigests(
  { current, retired }: BudgetKeys,
  nationalId: NationalId,
  scope = DEFAULT_SCOPE,
): readonly [Digest, ...Digest[]] {
  return [
    budgetDigest(current, nationalId, scope),
    ...retired.map((key) => budgetDigest(key, nationalId, scope)),
  ];
}

/** The key under which a person's pushes are counted with one secret of the server. */
export function budgetDigest(
  serverKey: Uint8Array,
  nationalId: NationalId,
  scope = DEFAULT_SCOPE,
): Digest {
  return keyedDigestText(serverKey, 'push-budget', keyInScope(scope, nationalId));
}
