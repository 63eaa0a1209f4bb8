import type { RatePolicy } from '../domain/limits.ts';
import type { Ms } from '../domain/time.ts';

/**
 * The state that all instances of one service share, beside what is in the store. A service that is
 * one process keeps it in memory; several instances keep it where all of them reach it.
 *
 * - L-1: a call sees the effect of every call that resolved before it began, at whichever instance.
 *
 * Every call is asynchronous, because it may be a round trip. Time is a parameter, as in the store.
 * A call that can't reach the shared state rejects within a deadline, with Refusal
 * `storage.unavailable`: then nobody knows whether it had its effect. What must work meanwhile is
 * the matter of the adapter, and never a reason to go on without an answer.
 *
 * What each instance keeps for itself, and why, is in decision 0084.
 */
export interface Coordination {
  /** What one address, attempt or back end may ask for. */
  readonly requestLimits: RateLimiter;
  /**
   * Identifiers that the provider does not know, for each client. Apart from the requests, so that
   * many addresses don't fill the table in which a client is counted.
   */
  readonly unknownIds: RateLimiter;
}

/** What is left of a policy for one key in its present window. */
export interface RateStanding {
  readonly policy: RatePolicy;
  /** Of `consume`: whether this call had a place. Of `peek`: whether the next one would have. */
  readonly allowed: boolean;
  /** Places left in this window. */
  readonly remaining: number;
  /** Whole seconds until the window ends, at least 1. */
  readonly resetSeconds: number;
}

/**
 * Counts in fixed windows (decision 0006).
 *
 * - L-10: of the calls of `consume` with one policy and key, exactly `policy.quota` are allowed in a
 *   window, however many come at once and at whichever instance. Those that are not count nothing.
 * - L-11: a window begins with the first call that is counted and has a length of `RATE_WINDOW_MS`;
 *   its end is no longer part of it. No later call moves its end.
 * - L-12: each policy and each key is counted by itself, long keys to their last character.
 * - L-13: each allowed call has a `remaining` of its own, from `quota - 1` down to 0: so one call in
 *   each window, and no other, learns that it has taken the last place.
 * - L-14: `peek` says what is left, and takes nothing.
 * - L-15: memory is bounded however many keys there are, and a key in constant use is not forgotten.
 *   One that was forgotten begins a new window.
 */
export interface RateLimiter {
  consume(policy: RatePolicy, key: string, now: Ms): Promise<RateStanding>;
  peek(policy: RatePolicy, key: string, now: Ms): Promise<RateStanding>;
}
