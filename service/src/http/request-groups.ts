import { AsyncLocalStorage } from 'node:async_hooks';
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** Others wait for the event loop while a group runs; this many take a few milliseconds. */
const MOST_IN_GROUP = 64;

export interface GroupOptions {
  /** Calls `work` once, when everything that is ready to be read in this turn has been read. */
  readonly atEndOfTurn: (work: () => void) => void;
  /** Told of what a handler threw; the connection of that request is closed, no other one. */
  readonly onThrow: (error: unknown) => void;
}

interface Waiting {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  /** Runs a function with the values that AsyncLocalStorage had when the request came in. */
  readonly inItsContext: (work: () => void) => void;
}

/**
 * Handles the requests of one turn of the event loop together.
 *
 * Node reads one connection after the other and hands over each request as soon as it is read.
 * Handled at once, each runs through all of our code by itself, with the reading and writing of
 * sockets in between, so that the processor's caches hold little of what it needs; and each answer
 * wakes its client by itself. Handled one behind the other after all of them have been read, the
 * same requests cost about half the processor time.
 *
 * - Requests are handled in the order in which they came.
 * - A group has at most 64. What came with them waits for the next turn, after whatever else is
 *   ready by then: the answers of the database, for one.
 * - A request whose connection takes no answer any more is dropped: nothing of it was begun.
 * - A request on the same connection as the one before it does not wait for the turn to end, unless
 *   others wait: a client that is alone waits for nobody. It is handled when the piece that it came
 *   in has been parsed, so that what breaks its connection is found before it has an effect.
 * - Routing, clock and limits come after this, so they see the time at which a request is handled.
 */
export function groupRequests(
  handle: RequestListener,
  { atEndOfTurn, onThrow }: GroupOptions,
): RequestListener {
  const waiting: Waiting[] = [];
  let isScheduled = false;
  let latest: Socket | null = null;

  function begin(request: IncomingMessage, response: ServerResponse): void {
    if (!request.socket.writable) return;
    try {
      handle(request, response);
    } catch (error) {
      request.socket.destroy();
      onThrow(error);
    }
  }

  function schedule(): void {
    isScheduled = true;
    atEndOfTurn(beginGroup);
  }

  function beginGroup(): void {
    for (const { request, response, inItsContext } of waiting.splice(0, MOST_IN_GROUP)) {
      inItsContext(() => begin(request, response));
    }
    isScheduled = false;
    if (waiting.length > 0) schedule();
  }

  return (request, response) => {
    const { socket } = request;
    const isAlone = !isScheduled && (latest === null || latest === socket);
    latest = socket;
    if (isAlone) {
      queueMicrotask(() => begin(request, response));
      return;
    }
    waiting.push({ request, response, inItsContext: AsyncLocalStorage.snapshot() });
    if (!isScheduled) schedule();
  };
}
