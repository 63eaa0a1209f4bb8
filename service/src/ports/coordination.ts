import type { AttemptId } from '../domain/attempt-id.ts';
import type { RatePolicy } from '../domain/limits.ts';
import type { Ms } from '../domain/time.ts';
import type { UnsignedResult } from './identity-provider.ts';

/**
 * The state that all instances of one service share, beside what is in the store. A service that is
 * one process keeps it in memory; several instances keep it where all of them reach it.
 *
 * - L-1: a call sees the effect of every call that resolved before it began, at whichever instance.
 *
 * Every call is asynchronous, because it may be a round trip. Time is a parameter, as in the store.
 * A call that can't reach the shared state rejects within a deadline with Refusal
 * `storage.unavailable`. Whether it had its effect is then unknown, and the caller does not go on.
 * Where it is safe, as for limits by address, an adapter may count in memory in the meantime.
 *
 * What each instance keeps for itself, and why, is in decision 0084.
 */
export interface Coordination {
  /** What one address, attempt or back end may ask for. */
  readonly requestLimits: RateLimiter;
  /**
   * How many identifiers unknown to the provider each client has asked for. Counted apart from the
   * requests: many addresses must not push a client out of the table.
   */
  readonly unknownIds: RateLimiter;
  readonly attemptLock: AttemptLock;
  readonly statusPolls: StatusPolls;
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

/**
 * Keeps work on one attempt in order: the answer to its start and the push that overtakes it, or the
 * same browser that comes back twice at once (decision 0048).
 *
 * - L-20: of the pieces of work on one attempt one runs at a time, at whichever instance. It begins
 *   when every instance sees that the attempt is held.
 * - L-21: of those that were asked for at one instance the first runs first. Work on one attempt
 *   waits for none on another.
 * - L-22: the end of a piece of work lets the next one begin, however it ended. What it returned or
 *   threw is for its own caller alone.
 * - L-23: of one attempt, an instance has `MOST_AT_ONE_ATTEMPT` under way and waiting at most. One
 *   more is refused at once with `server.overloaded`; there is room again as they end.
 * - L-24: `settled` resolves when what was under way and waiting at the call has ended, however it
 *   ended. It waits in no line and delays nobody.
 * - L-25: an instance that dies while it holds an attempt keeps it from the others for the length of
 *   a lease, which is longer than any work takes, and not for ever.
 *
 * This is an order and no guard. Work that outlives its lease can meet the next one, so whatever may
 * happen once is guarded by a statement of the store.
 */
export interface AttemptLock {
  /** @throws Refusal `server.overloaded`, or what `work` throws */
  run<Result>(attemptId: AttemptId, work: () => Promise<Result>): Promise<Result>;
  settled(attemptId: AttemptId): Promise<void>;
}

/** Where the questions to the provider about one push stand. */
export interface StatusPoll {
  /** Whether it is the caller who asks now. */
  readonly isDue: boolean;
  /** Which question this is, or was the last one; the first has number 1. */
  readonly question: number;
  /** The answer that is known; `waiting` before the first. */
  readonly latest: UnsignedResult;
  /** Where the person was at the start, for the question. */
  readonly address: string | null;
}

/**
 * When the provider is asked about a push: seldom, and once for all who want to know.
 *
 * - L-30: the first claim is due. After one that was, none is until `pauseAfter` has passed, which
 *   grows with the number of questions (domain/status-poll.ts).
 * - L-31: of any number of claims at once, at whichever instance, one is due.
 * - L-32: an answer is given to all who claim after it, until a later question has another. The
 *   answer to a question that was followed by another one is dropped: it is the older news.
 * - L-33: a question that nobody answers, because it failed or its asker died, changes nothing that
 *   is known, and the next one is due in its time.
 * - L-34: each claim has the address that `begin` was given; null where there was none.
 * - L-35: memory is bounded however many pushes there are, and one that is asked about all the time
 *   is not forgotten. One that was forgotten begins anew, without its address.
 */
export interface StatusPolls {
  /** Once, before the push is sent. */
  begin(attemptId: AttemptId, address: string | null): Promise<void>;
  claim(attemptId: AttemptId, now: Ms): Promise<StatusPoll>;
  answer(attemptId: AttemptId, question: number, result: UnsignedResult): Promise<void>;
}
