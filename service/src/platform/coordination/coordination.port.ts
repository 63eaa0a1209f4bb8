import type { AttemptId } from '../../values/ids.ts';
import type { RatePolicy, RateStanding } from '../../values/limits.ts';
import type { Ms } from '../../values/time.ts';
import type { UnsignedResult } from '../../provider/identity-provider.port.ts';

/**
 * The state that all instances of one service share, in addition to the store. A service with one
 * process keeps it in memory; several instances keep it where all of them can reach it.
 *
 * - L-1: a call sees the effect of every call that resolved before it began, on any instance.
 *
 * Every call is asynchronous, because it may be a round trip. Time is a parameter, as in the store.
 * A call that can't reach the shared state rejects within a deadline with Refusal
 * `storage.unavailable`. It is then unknown whether it had its effect, and the caller must stop.
 * Where it is safe, as for limits by address, an adapter may count in memory meanwhile.
 *
 * Decision 0084 says which state each instance keeps for itself, and why.
 */
export interface Coordination {
  /** The rate limits by address, attempt or back end. */
  readonly requestLimits: RateLimiter;
  /**
   * Counts, per client, requests for identifiers that the provider does not know. Many addresses
   * can't displace a client, so in memory it has a table of its own.
   */
  readonly unknownIds: RateLimiter;
  readonly attemptLock: AttemptLock;
  readonly statusPolls: StatusPolls;
  readonly notes: SharedNotes;
  readonly notifier: AttemptNotifier;
  /**
   * The time of the clock that all instances follow; null where the machine's is followed. Rejects
   * with Refusal `storage.unavailable`.
   */
  readonly readTime: (() => Promise<Ms>) | null;
}

/** What may be used before the store is admitted. */
export type EarlyState = Pick<Coordination, 'readTime'>;

/**
 * Counts in fixed windows (decision 0006).
 *
 * - L-10: of the calls of `consume` with one policy and key, exactly `policy.quota` are allowed per
 *   window, however many come at once and on any instance. Refused calls are not counted.
 * - L-11: a window begins with the first call that is counted and has a length of `RATE_WINDOW_MS`;
 *   its end is no longer part of it. No later call moves its end. It also ends when the clock is set
 *   back to a time before it, but not by a call that is counted a little after a later one.
 * - L-12: each policy and each key is counted separately, and every character of a long key counts.
 * - L-13: each allowed call in a window has a different `remaining`, from `quota - 1` down to 0. So
 *   exactly one call per window learns that it was the last allowed one.
 * - L-14: `peek` gives the standing without counting anything.
 * - L-15: memory is bounded however many keys there are, and a key in constant use is not forgotten.
 *   A forgotten key begins a new window.
 * - L-16: a standing holds at every instance: whoever has `remaining` 0 is refused until the window
 *   ends, and then allowed, however the clocks of the instances differ.
 */
export interface RateLimiter {
  consume(policy: RatePolicy, key: string, now: Ms): Promise<RateStanding>;
  peek(policy: RatePolicy, key: string, now: Ms): Promise<RateStanding>;
}

/**
 * Counts for one instance, also in the place of a shared limiter that does not answer. What a caller
 * was told by one of the two holds at the other.
 */
export interface OwnRateLimiter extends RateLimiter {
  /**
   * To be called with each standing that the shared limiter has given.
   * @returns what the caller is told: until a window ends in which this instance has counted alone,
   *   the stricter of both
   */
  noteShared(shared: RateStanding, key: string, now: Ms): RateStanding;
}

/** An instance's own state, which nothing outside of its process needs. */
export interface OwnCoordination extends Coordination {
  readonly requestLimits: OwnRateLimiter;
}

/**
 * Runs work on one attempt in order: for example the answer to its start before a push result that
 * arrives earlier, or two simultaneous returns of the same browser (decision 0084).
 *
 * - L-20: only one piece of work on an attempt runs at a time, on all instances together. It begins
 *   when every instance sees that the attempt is locked.
 * - L-21: work that was requested on one instance runs in the order of the requests. Work on one
 *   attempt never waits for work on another.
 * - L-22: when a piece of work ends, in whatever way, the next one begins. Only its own caller gets
 *   its result or error.
 * - L-23: an instance has at most `MOST_AT_ONE_ATTEMPT` running and waiting pieces of work on one
 *   attempt. A further one is refused at once with `server.overloaded`, until one of them ends.
 * - L-24: `settled` resolves when everything has ended, in whatever way, that was running at the
 *   call on any instance, or waiting on this one. It does not wait in the queue and delays nothing.
 * - L-25: an instance that dies while it holds an attempt's lock blocks the others only until its
 *   lease ends. A lease is longer than any work takes; who asks may say a shorter time.
 * - L-26: work must not be nested. `run` inside `work` of the same attempt waits for the end of that
 *   work, so neither ever ends. No adapter detects it.
 * - L-27: work that waits for another instance, and `settled`, do so for a bounded time and are
 *   refused with `server.overloaded` after it.
 *
 * The lock itself ends no work. It relies on the deadlines inside: a call to the provider ends after
 * 5 seconds (provider/call/call.ts), and a call to the store after its result or its refusal. The
 * store waits up to 5 seconds for another program's lock on the file; a disk that never answers
 * holds up every write of the service, with or without this lock.
 *
 * The lock gives an order, but it is not a protection: work that outlives its lease can overlap the
 * next one. So everything that may happen only once is guarded by a statement of the store.
 */
export interface AttemptLock {
  /**
   * @param name the id of an attempt, or of what has one attempt at a time
   * @param longestMs how long this work takes at most, where that is less than a lease
   * @throws Refusal `server.overloaded`, `storage.unavailable`, or what `work` throws
   */
  run<Result>(name: string, work: () => Promise<Result>, longestMs?: Ms): Promise<Result>;
  /** @throws Refusal `server.overloaded`, `storage.unavailable` */
  settled(attemptId: AttemptId): Promise<void>;
}

/** The state of the status requests for one push. */
export interface StatusPoll {
  /** Whether the caller must request the status now. */
  readonly isDue: boolean;
  /** The number of this question, or of the last one; the first has number 1. */
  readonly question: number;
  /** The latest known answer; `waiting` before the first one. */
  readonly latest: UnsignedResult;
  /** The person's address at the start, which the provider is told with the question. */
  readonly address: string | null;
}

/**
 * Limits how often the provider is asked for the status of a push, and shares each answer with all
 * callers.
 *
 * - L-30: the first claim is due. After a due claim none is due until `pauseAfter` has passed,
 *   which grows with the number of questions (attempt/status/status-poll.ts).
 * - L-31: of any number of simultaneous claims, on all instances together, one is due.
 * - L-32: an answer is given to all later claims, until a later question has another answer. An
 *   answer is dropped if a later question was asked before it arrived, because it is older.
 * - L-33: a question without an answer, because it failed or its instance died, changes no known
 *   answer, and the next question is due at its usual time.
 * - L-34: each claim contains the address that was given to `begin`; null if there was none.
 * - L-35: memory is bounded however many pushes there are, and a push in constant use is not
 *   forgotten. A forgotten one starts again without its address.
 */
export interface StatusPolls {
  /** To be called once, before the push is sent. */
  begin(attemptId: AttemptId, address: string | null): Promise<void>;
  claim(attemptId: AttemptId, now: Ms): Promise<StatusPoll>;
  answer(attemptId: AttemptId, question: number, result: UnsignedResult): Promise<void>;
}

/** A text with a name, and how often it was written: the first time has version 1. */
export interface Note {
  readonly name: string;
  readonly text: string;
  readonly version: number;
}

/** Notes of one kind; their names are their own. */
export type NoteRoom = 'decision';

export interface NewNote {
  readonly room: NoteRoom;
  readonly name: string;
  readonly text: string;
  /** The version that it replaces; 0 when there is none. */
  readonly replaces: number;
  /** How long it is needed. */
  readonly keepMs: Ms;
}

/**
 * Short texts that any instance writes and every instance reads: what the simulated provider has to
 * remember. They may be lost when the shared state is.
 *
 * - L-40: `write` succeeds if the note has the version that it replaces, or is not there for 0. Of
 *   any number of simultaneous writes that replace the same version, one succeeds; the others
 *   change nothing.
 * - L-41: `read` gives what was written last, or null; `list` gives all notes of a room, at most
 *   `MOST_NOTES` of them: those that are needed longest, in no order.
 * - L-42: a note may be forgotten after the time for which it is needed, and memory is bounded
 *   however many there are.
 */
export interface SharedNotes {
  /** True when it was written. */
  write(note: NewNote): Promise<boolean>;
  read(room: NoteRoom, name: string): Promise<Note | null>;
  list(room: NoteRoom): Promise<readonly Note[]>;
}

/** The most notes that `list` gives. */
export const MOST_NOTES = 1000;

/** What is called at a notice. It must not throw, and does its work later. */
export interface NoticeListener {
  /** This attempt may have changed. */
  readonly onAttempt: (attemptId: AttemptId) => void;
  /** Notices may have been missed: any attempt may have changed. */
  readonly onAny: () => void;
}

/**
 * Tells those who wait for an attempt, on all instances, that it may have changed. A notice carries no
 * state: whoever hears it reads the attempt.
 *
 * - L-50: a notice is heard by every listener of its instance before `notify` returns, and soon by those
 *   of the others. It may be heard more than once.
 * - L-51: `notify` never fails and waits for nothing. Without a connection to the other instances a
 *   notice may be lost, so whoever waits also reads without a notice from time to time.
 * - L-52: whenever a listener may have missed notices that were sent, as before its connection was made
 *   or while it was lost, `onAny` is called after the first moment from which all are heard again.
 * - L-53: memory is bounded however many notices there are. Notices of one turn share a message.
 * - L-54: after the function that `listen` returned was called, the listener is called no more.
 */
export interface AttemptNotifier {
  /** To be called after the change was committed. */
  notify(attemptId: AttemptId): void;
  /** @returns a function that ends it */
  listen(listener: NoticeListener): () => void;
}
