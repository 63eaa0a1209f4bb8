import { AsyncResource } from 'node:async_hooks';
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { stopParsing } from './exchanges.ts';
import type { Ms } from '../values/time.ts';

/** Everything else waits while a group runs; this many requests take a few milliseconds. */
export const MOST_IN_GROUP = 64;
/**
 * Of a group, kept for starts while other requests would fill it. A start is followed by about seven
 * requests, so more places would let those pile up.
 */
const PLACES_FOR_STARTS = 2;
/** Of a group, kept for other requests while those that watch the service would fill it. */
const PLACES_BESIDE_WATCHES = 16;
/**
 * A start that has waited this long is late. Accepted ones then take less than half a second, and
 * a crowd that is over sooner than this is served whole.
 */
export const LATE_MS: Ms = 250;
/** Late starts cost little each, because they are refused; more of them wait for the next group. */
const MOST_LATE = 64;
/**
 * How many requests may wait before a client may have no more than one of them on each connection.
 * A waiting request takes about 10 KB.
 */
export const MOST_WAITING = 4096;

/**
 * In which order requests are handled while there are too many: what watches the service, then what
 * belongs to attempts that were begun already, then starts of further ones.
 */
export type Urgency = 'watch' | 'usual' | 'start';

export interface WaitingRequest {
  readonly request: IncomingMessage;
  /** When the turn of the event loop began in which it was read from its connection. */
  readonly readAt: Ms;
}

export interface NextRequests<One extends WaitingRequest> {
  readonly group: readonly One[];
  /** Starts that have waited too long; they are handled with the group. */
  readonly late: readonly One[];
}

/** What waits on a connection. */
interface Queued<One> {
  oldest: One;
  readonly behind: One[];
}

type Turns<One> = Set<Queued<One>>;

/**
 * The requests that wait to be handled, and which of them are next.
 *
 * Without pressure, when one group can hold all, these are simply all, in the order of arrival.
 * Otherwise the connections take turns: each gives its oldest request and then goes behind the
 * others, so that a client gains nothing by sending requests before it has its answers. Starts come
 * last, because an attempt that was begun and can't be finished is work for nothing.
 *
 * The urgency of a request is found once, so a group costs no more while many wait.
 */
export class WaitingRequests<One extends WaitingRequest> {
  readonly #urgencyOf: (request: IncomingMessage) => Urgency;
  /** All, in the order of arrival, while one group can hold them; empty otherwise. */
  #arrived: One[] = [];
  readonly #connections = new Map<Socket, Queued<One>>();
  /** The connections by the urgency of their oldest request, in the order of their turns. */
  readonly #turns: Readonly<Record<Urgency, Turns<One>>> = {
    watch: new Set(),
    usual: new Set(),
    start: new Set(),
  };
  #queued = 0;

  constructor(urgencyOf: (request: IncomingMessage) => Urgency) {
    this.#urgencyOf = urgencyOf;
  }

  get size(): number {
    return this.#arrived.length + this.#queued;
  }

  /** False when too many wait, and one of its connection is among them: it was not added. */
  add(one: One): boolean {
    if (this.#queued === 0 && this.#arrived.length < MOST_IN_GROUP) {
      this.#arrived.push(one);
      return true;
    }
    for (const earlier of this.#arrived.splice(0)) this.#queue(earlier);
    return this.#queue(one);
  }

  take(now: () => Ms): NextRequests<One> {
    if (this.#queued === 0) return { group: this.#arrived.splice(0), late: [] };
    const late = this.#queued > MOST_IN_GROUP ? this.#takeLate(now() - LATE_MS) : [];
    const { watch, usual, start } = this.#turns;
    const group: One[] = [];
    this.#fill(group, watch, Math.min(PLACES_BESIDE_WATCHES, usual.size + start.size));
    this.#fill(group, usual, Math.min(PLACES_FOR_STARTS, start.size));
    this.#fill(group, start, 0);
    return { group, late };
  }

  #queue(one: One): boolean {
    const { socket } = one.request;
    const queued = this.#connections.get(socket);
    if (queued === undefined) {
      const first = { oldest: one, behind: [] };
      this.#connections.set(socket, first);
      this.#turns[this.#urgencyOf(one.request)].add(first);
    } else {
      if (this.#queued >= MOST_WAITING) return false;
      queued.behind.push(one);
    }
    this.#queued += 1;
    return true;
  }

  /** Of those in front: a start that was sent behind another request may stand behind newer ones. */
  #takeLate(lateBefore: Ms): One[] {
    const { start } = this.#turns;
    const late: One[] = [];
    for (const queued of start) {
      if (late.length === MOST_LATE || queued.oldest.readAt > lateBefore) break;
      late.push(this.#takeFrom(start, queued));
    }
    return late;
  }

  /** @param kept places that are left for what follows */
  #fill(group: One[], turns: Turns<One>, kept: number): void {
    for (const queued of turns) {
      if (group.length >= MOST_IN_GROUP - kept) return;
      group.push(this.#takeFrom(turns, queued));
    }
  }

  /** The next request of the connection, if there is one, goes behind those of the others. */
  #takeFrom(turns: Turns<One>, queued: Queued<One>): One {
    const { oldest, behind } = queued;
    turns.delete(queued);
    this.#queued -= 1;
    const next = behind.shift();
    if (next === undefined) this.#connections.delete(oldest.request.socket);
    else {
      queued.oldest = next;
      this.#turns[this.#urgencyOf(next.request)].add(queued);
    }
    return oldest;
  }
}

export interface GroupOptions {
  /** Calls `work` once, after everything that can be read in this turn was read. */
  readonly atEndOfTurn: (work: () => void) => void;
  /**
   * Gets the error of a handler. Only the connection of that request is closed. What `onThrow`
   * itself throws is not caught, and the other requests are handled all the same.
   */
  readonly onThrow: (error: unknown) => void;
  readonly now: () => Ms;
  readonly urgencyOf: (request: IncomingMessage) => Urgency;
  /** Is told of a start that has waited too long, before it is handled. */
  readonly onLate: (request: IncomingMessage) => void;
}

interface Waiting extends WaitingRequest {
  readonly response: ServerResponse;
  /**
   * Keeps the AsyncLocalStorage values of the time when the request arrived: tracing that is loaded
   * into the process keeps its span of the request there. `AsyncLocalStorage.snapshot()` does the
   * same with more objects, which were 4 % of what a request allocates.
   */
  readonly context: AsyncResource;
}

/**
 * Handles the requests of one turn of the event loop together.
 *
 * Node reads one connection after another and passes on each request as soon as it is read. If each
 * is handled at once, the reading and writing of sockets happens between requests, so the
 * processor's caches contain little of our code, and each answer wakes its client separately. If
 * the requests are handled one after another when all have been read, they cost about half the
 * processor time.
 *
 * - Requests are handled in the order in which they arrived, unless more wait than a group can
 *   hold: `WaitingRequests` has the order for that time (decision 0108).
 * - A group has at most 64 requests, and the starts that are refused with it. Further ones wait for
 *   the next turn of the event loop, after everything else that is ready by then, such as answers
 *   of the database. When 4,096 wait, a connection that adds a second one is closed.
 * - A request whose connection can't take an answer any more is dropped before it has any effect.
 * - If a request is on the same connection as the previous one and no others wait, it does not wait
 *   for the end of the turn: a single client is never delayed. It is handled after the piece of
 *   data that contained it was parsed, so that an error in the connection is found before the
 *   request has an effect.
 * - Routing, clock and rate limits come later, so they use the time when the request is handled.
 */
export function groupRequests(
  handle: RequestListener,
  { atEndOfTurn, onThrow, now, urgencyOf, onLate }: GroupOptions,
): RequestListener {
  const waiting = new WaitingRequests<Waiting>(urgencyOf);
  const begin = beginWith(handle, onThrow);
  let isScheduled = false;
  /** Read once a turn, at its beginning. */
  let readAt: Ms = 0;
  /** May be closed already: keeping one such object costs less than a listener on each. */
  let lastSocket: Socket | null = null;

  function schedule(): void {
    isScheduled = true;
    readAt = now();
    atEndOfTurn(beginGroup);
  }

  function beginGroup(): void {
    const { group, late } = waiting.take(now);
    for (const { request } of late) onLate(request);
    try {
      beginEach(late.length === 0 ? group : [...group, ...late], begin);
    } finally {
      isScheduled = false;
      if (waiting.size > 0) schedule();
    }
  }

  return (request, response) => {
    const { socket } = request;
    const isAlone = !isScheduled && (lastSocket === null || lastSocket === socket);
    lastSocket = socket;
    if (isAlone) {
      queueMicrotask(() => begin(request, response));
      return;
    }
    if (!isScheduled) schedule();
    const context = new AsyncResource('REQUEST');
    if (waiting.add({ request, response, readAt, context })) return;
    stopParsing(socket);
    socket.destroy();
  };
}

function beginWith(handle: RequestListener, onThrow: GroupOptions['onThrow']): RequestListener {
  return (request, response) => {
    if (!request.socket.writable) return;
    try {
      handle(request, response);
    } catch (error) {
      request.socket.destroy();
      onThrow(error);
    }
  };
}

/** After an error of `begin`, the requests behind it are handled all the same. */
function beginEach(group: readonly Waiting[], begin: RequestListener): void {
  let begun = 0;
  try {
    for (const { request, response, context } of group) {
      begun += 1;
      context.runInAsyncScope(begin, undefined, request, response);
    }
  } finally {
    if (begun < group.length) beginEach(group.slice(begun), begin);
  }
}
