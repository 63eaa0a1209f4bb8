import { AsyncResource } from 'node:async_hooks';
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Ms } from '../values/time.ts';
import { WaitingRequests, type Urgency, type WaitingRequest } from './next-requests.ts';
import { stopParsing } from './node-parser.ts';

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
