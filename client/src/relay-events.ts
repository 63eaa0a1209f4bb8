import { StartedAttempt } from './attempt.ts';
import { asFailure, type MiftahError } from './error.ts';
import { eitherOf, every } from './platform.ts';
import type { Attempt, AttemptStatus } from './types.ts';
import { checkNames } from './wire.ts';

const HEARTBEAT_MS = 15_000;
const RETRY_MS = 2_000;
/** The id of an event, as the service has it: `1` while the attempt is pending, `2` after it. */
const ENDED = '2';

export interface RelayOptions {
  /** The header `Last-Event-ID` of the page's request. */
  readonly lastEventId?: string | null;
  /** Aborted when the page is gone. Cancelling the body of the answer does the same. */
  readonly signal?: AbortSignal;
}

/**
 * Tells a page of the session that has started the attempt how it goes, as server-sent events, for
 * `EventSource`. The data of `status` has `attemptId`, `status`, `message` and `date` (the header
 * `Date` of the service), and neither token nor person. When the attempt can't be followed, the last
 * event is `failure`, with `code` and `detail`.
 */
export function relayEvents(attempt: Attempt, options: RelayOptions = {}): Response {
  if (!(attempt instanceof StartedAttempt)) throw new TypeError('This is no attempt of a client.');
  checkNames('relayEvents', options, 'lastEventId, signal');
  // EventSource connects again after every end, until it is answered so.
  if (options.lastEventId === ENDED) return new Response(null, { status: 204 });
  const headers = {
    'content-type': 'text/event-stream; charset=utf-8',
    'cache-control': 'no-store',
    'x-accel-buffering': 'no',
  };
  return new Response(relayed(attempt, options.signal), { headers });
}

function relayed(attempt: StartedAttempt, outer?: AbortSignal): ReadableStream<Uint8Array> {
  const control = new AbortController();
  const gone = control.signal;
  const signal = eitherOf(gone, outer ?? gone);
  return new ReadableStream<Uint8Array>({
    start: (page) => void relay(attempt, page, { gone, signal }),
    cancel: () => control.abort(),
  });
}

interface Ends {
  /** The page has left, and its stream takes nothing more. */
  readonly gone: AbortSignal;
  readonly signal: AbortSignal;
}

/** Writes an event for each status, and ends the stream. Never fails. */
async function relay(
  attempt: StartedAttempt,
  page: ReadableStreamDefaultController<Uint8Array>,
  { gone, signal }: Ends,
): Promise<void> {
  const encoder = new TextEncoder();
  const write = (text: string) => {
    if (!gone.aborted) page.enqueue(encoder.encode(text));
  };
  write(`retry: ${RETRY_MS}\n\n`);
  const stopBeating = every(HEARTBEAT_MS, () => write(':\n\n'));
  try {
    // Each answer, also when nothing is new: the clock of the service may have been moved.
    await attempt.follow(undefined, signal, (status, date) => write(eventOf(status, date)));
  } catch (error) {
    if (!signal.aborted) write(failureOf(asFailure(error)));
  }
  stopBeating();
  if (!gone.aborted) page.close();
}

function eventOf({ attemptId, status, message }: AttemptStatus, date?: string | null): string {
  const id = status === 'pending' ? '1' : ENDED;
  const data = { attemptId, status, message, date };
  return `event: status\nid: ${id}\ndata: ${JSON.stringify(data)}\n\n`;
}

/** After it the page shall not connect again. */
function failureOf({ code, detail }: MiftahError): string {
  return `event: failure\nid: ${ENDED}\ndata: ${JSON.stringify({ code, detail })}\n\n`;
}
