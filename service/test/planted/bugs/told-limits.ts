import type { PlantedBug } from '../support/planted-bug.ts';

const LIMITS = 'service/src/values/limits.ts';
const HEADERS = 'service/src/request/caller/caller.ts';
const SHARED = 'service/src/store/postgres/coordination/shared-rate-limiter.ts';
const MEMORY = 'service/src/platform/coordination/memory-coordination.ts';
const TOLD_TEST = 'service/test/api/told-limits.test.ts';
const FALLBACK_TEST = 'service/src/store/postgres/coordination/limiter-with-fallback.test.ts';

function bug(
  name: string,
  file: string,
  [from, to]: readonly [string, string],
  test: PlantedBug['test'],
): PlantedBug {
  return { name, edits: [{ file, from, to }], test };
}

const told = (name: string) => ({ file: TOLD_TEST, name });
const ALONE = 'a client alone on its key >';
const OBEYS = `${ALONE} that obeys what it is told is never refused, also at the edge of a window`;
const BINDS =
  'what is told > is of each limit of requests, and where two count a request, of the one that binds';

/** Bugs in what answers say of limits, by which applications plan. */
export const TOLD_LIMITS_BUGS: readonly PlantedBug[] = [
  bug(
    'the seconds of a window are rounded down',
    HEADERS,
    [
      'Math.max(1, secondsUntil(endsAt, now))',
      'Math.max(1, Math.floor((endsAt - now) / SECOND_MS))',
    ],
    told(OBEYS),
  ),
  bug(
    'what is left is told as it was before the request',
    HEADERS,
    [
      '  const { policy, remaining } = told;',
      '  const { policy } = told;\n  const remaining = Math.min(policy.quota, told.remaining + 1);',
    ],
    told(OBEYS),
  ),
  bug(
    'of two limits the one is told that does not bind',
    LIMITS,
    ['one.remaining <= other.remaining ? [one', 'one.remaining > other.remaining ? [one'],
    told(BINDS),
  ),
  bug(
    'an answer that has waited tells how it was at its beginning',
    'service/src/request/app.ts',
    ['if (reply.statusCode !== 429) reply.headers(', 'if (reply.statusCode < 100) reply.headers('],
    told('what is told > is the state at the end of an answer that has waited'),
  ),
  bug(
    'a refused push says how many requests are left',
    'service/src/request/answer/reply-error.ts',
    ["if (refusal.code === 'push.budget_spent') tellNoStanding(reply);", ''],
    told(
      'the budgets of pushes > are told by no answer: neither by one that was sent, nor by one that was not',
    ),
  ),
  bug(
    'openid: a refused push says how many requests are left',
    'service/src/openid/ciba/start.flow.ts',
    ['    if (isSpent) forgetStanding(asked.res);\n', ''],
    told('the budgets of pushes > are told by no answer of OpenID either'),
  ),
  bug(
    'each instance ends a window by its own clock',
    SHARED,
    ['valuesOf(groups, this.#clock === null)', 'valuesOf(groups, true)'],
    {
      file: 'service/test/store/postgres/shared-limits.test.ts',
      name: 'whoever waits as long as told is allowed, and not before: clocks are wrong by 700 and -700',
    },
  ),
  bug(
    'an instance that counts alone begins anew',
    MEMORY,
    [
      '    const shared = openIn(this.#shared, name, now);\n    if (shared !== null) shared.isAhead = true;\n',
      '    const shared = null;\n',
    ],
    {
      file: FALLBACK_TEST,
      name: 'whoever does one more than told is refused by the instance that said so',
    },
  ),
  bug(
    'a lost answer of the shared limiter is not counted',
    MEMORY,
    [
      'Math.max(quota - told.remaining, before.count + 1)',
      'Math.max(quota - told.remaining, before.count)',
    ],
    {
      file: FALLBACK_TEST,
      name: 'whoever does one more than told is refused by the instance that said so',
    },
  ),
];
