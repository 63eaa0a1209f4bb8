import { hash } from 'node:crypto';
import type { AttemptId } from '../../values/ids.ts';
import { LONGEST_PAUSE_MS, pauseAfter } from '../../attempt/status/status-poll.ts';
import { Refusal } from '../../errors/refusal.ts';
import {
  type AttemptLock,
  type AttemptNotifier,
  MOST_NOTES,
  type NewNote,
  type Note,
  type NoteRoom,
  type NoticeListener,
  type OwnCoordination,
  type OwnRateLimiter,
  type SharedNotes,
  type StatusPoll,
  type StatusPolls,
} from './coordination.port.ts';
import type { UnsignedResult } from '../../provider/identity-provider.port.ts';
import {
  LATE_CALL_MS,
  MOST_AT_ONE_ATTEMPT,
  RATE_WINDOW_MS,
  type RatePolicy,
  type RateStanding,
  strictestOf,
} from '../../values/limits.ts';
import { type Ms, isDue } from '../../values/time.ts';

/**
 * A map of limited size with two generations. A used key moves into the young generation. When that
 * has half of the capacity, the old generation is dropped as a whole, with the keys that were not
 * used since. Single keys are never deleted, because deleted entries make a full Map slow.
 */
export class BoundedTable<Value> {
  readonly #half: number;
  #young = new Map<string, Value>();
  #old: ReadonlyMap<string, Value> = new Map();

  /** @param capacity the most entries; the half that was used last is always kept */
  constructor(capacity: number) {
    this.#half = capacity / 2;
  }

  /** The value of a key. This counts as a use of the key. */
  get(key: string): Value | undefined {
    const young = this.#young.get(key);
    if (young !== undefined) return young;
    const old = this.#old.get(key);
    if (old !== undefined) this.set(key, old);
    return old;
  }

  set(key: string, value: Value): void {
    if (this.#young.size >= this.#half && !this.#young.has(key)) {
      this.#old = this.#young;
      this.#young = new Map();
    }
    this.#young.set(key, value);
  }
}

interface Line {
  readonly last: Promise<unknown>;
  /** Including the running piece of work. */
  readonly length: number;
}

/**
 * A chain of promises for each attempt in work. It is lost when the process ends. It does not detect
 * nested work (L-26): that would cost every caller an AsyncLocalStorage, and no flow nests.
 */
export class MemoryAttemptLock implements AttemptLock {
  readonly #lines = new Map<string, Line>();

  async run<Result>(name: string, work: () => Promise<Result>): Promise<Result> {
    const line = this.#lines.get(name) ?? { last: Promise.resolve(), length: 0 };
    if (line.length >= MOST_AT_ONE_ATTEMPT) {
      throw new Refusal('server.overloaded', { retryAfterSeconds: 1 });
    }
    const own = line.last.then(work);
    this.#lines.set(name, { last: own.catch(() => undefined), length: line.length + 1 });
    try {
      return await own;
    } finally {
      this.#leave(name);
    }
  }

  async settled(attemptId: AttemptId): Promise<void> {
    await this.#lines.get(attemptId)?.last;
  }

  #leave(name: string): void {
    const line = this.#lines.get(name);
    if (line === undefined) return;
    if (line.length === 1) this.#lines.delete(name);
    else this.#lines.set(name, { ...line, length: line.length - 1 });
  }
}

/** Notes in memory. When a room has too many, the one that was written first is forgotten. */
class MemoryNotes implements SharedNotes {
  readonly #capacity: number;
  readonly #rooms = new Map<NoteRoom, Map<string, Note>>();

  /** @param capacity notes of a room at most */
  constructor(capacity: number) {
    this.#capacity = capacity;
  }

  async write({ room, name, text, replaces }: NewNote): Promise<boolean> {
    const notes = this.#notesOf(room);
    if ((notes.get(name)?.version ?? 0) !== replaces) return false;
    notes.delete(name);
    notes.set(name, { name, text, version: replaces + 1 });
    const [oldest] = notes.keys();
    if (notes.size > this.#capacity && oldest !== undefined) notes.delete(oldest);
    return true;
  }

  async read(room: NoteRoom, name: string): Promise<Note | null> {
    return this.#notesOf(room).get(name) ?? null;
  }

  async list(room: NoteRoom): Promise<readonly Note[]> {
    return [...this.#notesOf(room).values()].slice(-MOST_NOTES);
  }

  #notesOf(room: NoteRoom): Map<string, Note> {
    const known = this.#rooms.get(room);
    if (known !== undefined) return known;
    const notes = new Map<string, Note>();
    this.#rooms.set(room, notes);
    return notes;
  }
}

/** Within one process no notice is lost, so `onAny` is never called. */
class MemoryNotifier implements AttemptNotifier {
  readonly #listeners = new Set<NoticeListener>();

  notify(attemptId: AttemptId): void {
    for (const { onAttempt } of this.#listeners) onAttempt(attemptId);
  }

  listen(listener: NoticeListener): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }
}

/** Addresses and ids are shorter. Longer keys are hashed, so that they can't fill the memory. */
const LONGEST_KEY = 64;

interface Window {
  readonly endsAt: Ms;
  count: number;
}

interface SharedWindow extends Window {
  /** Whether this process has counted in it what the shared limiter may not know of. */
  isAhead: boolean;
}

/**
 * The windows of one process. No method awaits anything before it has counted, so calls can't
 * interleave.
 */
class MemoryRateLimiter implements OwnRateLimiter {
  readonly #windows: BoundedTable<Window>;
  /** Those of the shared limiter, as far as this process knows them. */
  readonly #shared: BoundedTable<SharedWindow>;

  /** @param capacity windows at most, of either kind */
  constructor(capacity: number) {
    this.#windows = new BoundedTable(capacity);
    this.#shared = new BoundedTable(capacity);
  }

  async consume(policy: RatePolicy, key: string, now: Ms): Promise<RateStanding> {
    const name = nameOf(policy, key);
    const shared = openIn(this.#shared, name, now);
    if (shared !== null) shared.isAhead = true;
    return count(policy, openIn(this.#windows, name, now) ?? this.#begin(name, now), shared);
  }

  async peek(policy: RatePolicy, key: string, now: Ms): Promise<RateStanding> {
    const name = nameOf(policy, key);
    const shared = openIn(this.#shared, name, now);
    return standingOf(policy, openIn(this.#windows, name, now) ?? newWindow(now), shared);
  }

  noteShared(told: RateStanding, key: string, now: Ms): RateStanding {
    const { policy, endsAt } = told;
    const name = nameOf(policy, key);
    const open = openIn(this.#shared, name, now);
    const before = open === null || endsAt - open.endsAt > LATE_CALL_MS ? null : open;
    const known = noted(told, before);
    const counted = Math.max(before?.count ?? 0, policy.quota - known.remaining);
    this.#shared.set(name, { endsAt, count: counted, isAhead: before?.isAhead ?? false });
    const alone = openIn(this.#windows, name, now);
    if (alone === null || !known.allowed) return known;
    return strictestOf(known, count(policy, alone, null));
  }

  #begin(name: string, now: Ms): Window {
    const window = newWindow(now);
    this.#windows.set(name, window);
    return window;
  }
}

/**
 * What the shared limiter has said of a call. It may have counted some that this process counted in
 * its place, because their answers were lost: so the higher of the two counts is right.
 */
function noted(told: RateStanding, before: SharedWindow | null): RateStanding {
  if (before?.isAhead !== true) return told;
  const { quota } = told.policy;
  const place = Math.max(quota - told.remaining, before.count + 1);
  return {
    ...told,
    allowed: told.allowed && place <= quota,
    remaining: Math.max(0, quota - place),
  };
}

function openIn<Kind extends Window>(
  windows: BoundedTable<Kind>,
  name: string,
  now: Ms,
): Kind | null {
  const known = windows.get(name);
  const longestMs = RATE_WINDOW_MS + LATE_CALL_MS;
  return known === undefined || isDue(known.endsAt, longestMs, now) ? null : known;
}

function newWindow(now: Ms): Window {
  return { endsAt: now + RATE_WINDOW_MS, count: 0 };
}

function count(policy: RatePolicy, window: Window, other: Window | null): RateStanding {
  const { allowed } = standingOf(policy, window, other);
  if (allowed) window.count += 1;
  if (allowed && other !== null) other.count += 1;
  return { ...standingOf(policy, window, other), allowed };
}

function standingOf(policy: RatePolicy, window: Window, other: Window | null): RateStanding {
  if (other !== null) {
    return strictestOf(standingOf(policy, window, null), standingOf(policy, other, null));
  }
  // The quota of a client may have been made smaller since.
  const remaining = Math.max(0, policy.quota - window.count);
  return { policy, allowed: remaining > 0, remaining, endsAt: window.endsAt };
}

function nameOf(policy: RatePolicy, key: string): string {
  const bounded = key.length > LONGEST_KEY ? hash('sha256', key, 'base64url') : key;
  return `${policy.name} ${bounded}`;
}

interface Push {
  readonly address: string | null;
  /** The number of status requests so far. */
  questions: number;
  nextAt: Ms;
  latest: UnsignedResult;
}

/** The status requests of one process. */
class MemoryStatusPolls implements StatusPolls {
  readonly #pushes: BoundedTable<Push>;

  /** @param capacity pushes at most */
  constructor(capacity: number) {
    this.#pushes = new BoundedTable(capacity);
  }

  async begin(attemptId: AttemptId, address: string | null): Promise<void> {
    this.#remember(attemptId, address);
  }

  async claim(attemptId: AttemptId, now: Ms): Promise<StatusPoll> {
    const push = this.#pushes.get(attemptId) ?? this.#remember(attemptId, null);
    const due = isDue(push.nextAt, LONGEST_PAUSE_MS, now);
    if (due) {
      push.questions += 1;
      push.nextAt = now + pauseAfter(push.questions);
    }
    const { questions: question, latest, address } = push;
    return { isDue: due, question, latest, address };
  }

  async answer(attemptId: AttemptId, question: number, result: UnsignedResult): Promise<void> {
    const push = this.#pushes.get(attemptId);
    if (push?.questions === question) push.latest = result;
  }

  #remember(attemptId: AttemptId, address: string | null): Push {
    const push: Push = { address, questions: 0, nextAt: 0, latest: 'waiting' };
    this.#pushes.set(attemptId, push);
    return push;
  }
}

/** The most entries of a table. A full table of windows needs up to 16 MB. */
const CAPACITY = { windows: 100_000, pushes: 20_000, notes: 20_000 };

/** For a service with one process: a restart loses everything. */
export function createMemoryCoordination({ windows, pushes, notes } = CAPACITY): OwnCoordination {
  return {
    requestLimits: new MemoryRateLimiter(windows),
    unknownIds: new MemoryRateLimiter(windows),
    attemptLock: new MemoryAttemptLock(),
    statusPolls: new MemoryStatusPolls(pushes),
    notes: new MemoryNotes(notes),
    notifier: new MemoryNotifier(),
    readTime: null,
  };
}
