import { StartedAttempt } from './attempt.ts';
import { asFailure, type MiftahError } from './error.ts';
import { every, onAbort } from './platform.ts';
import type { Attempt, AttemptStatus } from './types.ts';
import { checkUse } from './wire.ts';

const HEARTBEAT_MS = 15_000;
const RETRY_MS = 2_000;
/** The id of an event, as the service has it: `1` while the attempt is pending, `2` after it. */
const ENDED = '2';

export interface RelayOptions {
  /** The header `Last-Event-ID` of the page's request. */
  readonly lastEventId?: string | null;
  /** As in `WaitOptions`: aborted when the page is gone. Cancelling the body does the same. */
  readonly signal?: AbortSignal;
}

/**
 * Tells a page of the session that has started the attempt how it goes, as server-sent events, for
 * `EventSource`. The data of `status` has `attemptId`, `status`, `message` and `date` (the header
 * `Date` of the service), and neither token nor person. When the attempt can't be followed, the last
 * event is `failure`, with `code` and `detail`.
 */
export function relayEvents(attempt: Attempt, options: RelayOptions = {}): Response {
  if (!(attempt instanceof StartedAttempt)) throw new TypeError('No attempt of a client.');
  checkUse('relayEvents', options, 'lastEventId, signal');
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
  const encoder = new TextEncoder();
  const control = new AbortController();
  const { signal } = control;
  const end = () => control.abort();
  onAbort(outer, signal, end);
  // The page has left, and its stream takes nothing more.
  let isGone = false;
  return new ReadableStream<Uint8Array>({
    async start(page) {
      const write = (text: string) => {
        if (!isGone) page.enqueue(encoder.encode(text));
      };
      await relay(attempt, write, signal);
      end();
      if (!isGone) page.close();
    },
    cancel() {
      isGone = true;
      end();
    },
  });
}

/** Writes an event for each status. Never fails. */
async function relay(
  attempt: StartedAttempt,
  write: (text: string) => void,
  signal: AbortSignal,
): Promise<void> {
  write(`retry: ${RETRY_MS}\n\n`);
  const stopBeating = every(HEARTBEAT_MS, () => write(':\n\n'));
  try {
    // Each answer, also when nothing is new: the clock of the service may have been moved.
    await attempt.follow(undefined, signal, (status, date) => write(eventOf(status, date)));
  } catch (error) {
    if (!signal.aborted) write(failureOf(asFailure(error)));
  } finally {
    stopBeating();
  }
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
