import type { AttemptId } from '../../values/ids.ts';
import type { Digest } from '../../values/secret.ts';
import type { PushBudget } from '../../attempt/start/push-budget.ts';
import type { Ms } from '../../values/time.ts';

/** A push that is to be sent, and the limits for it. */
export interface PushWish {
  readonly attemptId: AttemptId;
  /** A keyed digest of the identifier: the limits apply to the person, whichever client asks. */
  readonly personDigest: Digest;
  /**
   * Digests of the identifier under other keys of the service: pushes that were counted under them
   * are the same person's, and are moved to `personDigest` in the same step.
   */
  readonly otherDigests?: readonly Digest[];
  readonly client: string;
  readonly at: Ms;
  readonly budget: PushBudget;
}

/**
 * Push budgets.
 *
 * - S-50: `admitPush` checks and counts in one step: with any number of racing pushes, no budget is
 *   exceeded. A refused push is not counted.
 * - S-51: it refuses while another attempt with a push to this person is pending, during the
 *   cool-down after the person refused one (a cancelled one they have not), and when the quota of a
 *   window is used up for the person, the client or the whole service. Windows are half-open and slide.
 *   In a window of the person that names a client only the pushes of that client count.
 * - S-54: pushes that were counted under one of `otherDigests` count for `personDigest`, also if the
 *   push is refused.
 * - S-55: `countPushes` gives how many pushes of each client were admitted after a time and not
 *   withdrawn. A client without one is not in it.
 * - S-53: `withdrawPush` takes one push out of every budget, as if it had never been admitted.
 * - S-52: `authenticateAttempt` empties the budgets of the person in `pushesOf` and no others, in
 *   the same write; if it gives null it empties none.
 */
export interface PushStore {
  /** Counts the push if every budget allows it; false if one does not. */
  admitPush(wish: PushWish): Promise<boolean>;
  countPushes(after: Ms): Promise<ReadonlyMap<string, number>>;
  /** Takes back a push that was admitted and certainly not sent. */
  withdrawPush(attemptId: AttemptId, personDigest: Digest): Promise<void>;
}
