import { ask, checked, foreign, type Call, type Connection } from './connection.ts';
import { asFailure, isPassing, type MiftahError } from './error.ts';
import { readEvents } from './event-stream.ts';
import { pause, spread, waitOf } from './platform.ts';
import type { AttemptStatus, EndedStatus } from './types.ts';
import { fromWire } from './wire.ts';

/** As long as the service lets a poll wait, and the way of the answer. */
const LONG_POLL = '?wait=25';
const LONG_POLL_LIMIT_MS = 35_000;
const SHORT_POLL_LIMIT_MS = 10_000;
/** Two questions are never closer than this. */
const POLL_MS = 2_000;
const FIRST_PAUSE_MS = 250;
const LONGEST_PAUSE_MS = 5_000;
/** A stream that broke as often without an event is not tried again. */
const MOST_BROKEN_STREAMS = 2;

/** What every status has. */
const MEMBERS = ['status', 'attemptId'] as const;

export interface Followed {
  readonly id: string;
  readonly token: string;
}

/** Takes each status as it is told, and what the service said last of its time: a header `Date`. */
export type Seen = (status: AttemptStatus, date?: string | null) => void;

/**
 * Follows an attempt to its end by a stream of events; where streams do not come through, by long
 * poll; and where nothing may wait, by asking every two seconds. What can pass is waited for.
 * @throws MiftahError what cannot pass, and the reason of the signal
 */
export async function follow(
  connection: Connection,
  followed: Followed,
  signal: AbortSignal,
  seen?: Seen,
): Promise<EndedStatus> {
  let mayStream = true;
  // Both in a row.
  let failures = 0;
  let brokenStreams = 0;
  for (;;) {
    signal.throwIfAborted();
    const pace = pause(POLL_MS, signal);
    const isLong = failures === 0;
    const isStream = mayStream && isLong;
    const poll = isLong ? LONG_POLL : '';
    const call = {
      ...callOf(followed, isStream ? '/events' : poll),
      signal,
      limitMs: isLong ? LONG_POLL_LIMIT_MS : SHORT_POLL_LIMIT_MS,
    };
    const tell = (status: AttemptStatus) => {
      failures = 0;
      if (isStream) brokenStreams = 0;
      seen?.(status, connection.date);
    };
    try {
      const status = await (isStream ? streamed : polled)(connection, call, tell);
      if (status.status !== 'pending') return status;
      await pace;
      // The service is being stopped: its clients shall not come back together.
      if (isStream) await pause(spread(POLL_MS), signal);
    } catch (error) {
      signal.throwIfAborted();
      const failure = asFailure(error);
      if (isStream && (hasNoStreams(failure) || ++brokenStreams >= MOST_BROKEN_STREAMS)) {
        mayStream = false;
        continue;
      }
      if (!isPassing(failure)) throw failure;
      failures += 1;
      const longer = Math.min(FIRST_PAUSE_MS * 2 ** failures, LONGEST_PAUSE_MS);
      await pause(waitOf(failure, longer), signal);
    }
  }
}

/** Nothing came in time, there is no place, or the service or a proxy has no streams. */
function hasNoStreams({ code, status }: MiftahError): boolean {
  if (code === 'client.timeout' || code === 'stream.limit_reached') return true;
  return !code.startsWith('attempt.') && [200, 204, 404, 405, 406, 501].includes(status);
}

/** @returns the last status that the stream brought before it ended */
async function streamed(connection: Connection, call: Call, seen: Seen): Promise<AttemptStatus> {
  let last: AttemptStatus | null = null;
  await readEvents(connection, call, (data) => {
    last = statusIn(data);
    seen(last);
    return last.status !== 'pending';
  });
  if (last === null) throw foreign();
  return last;
}

async function polled(connection: Connection, call: Call, seen: Seen): Promise<AttemptStatus> {
  const status = await ask<AttemptStatus>(connection, call, ...MEMBERS);
  seen(status);
  return status;
}

export function statusOf(connection: Connection, followed: Followed): Promise<AttemptStatus> {
  return ask(connection, callOf(followed, ''), ...MEMBERS);
}

function callOf({ id, token }: Followed, rest: string) {
  return {
    path: `/status/${encodeURIComponent(id)}${rest}`,
    headers: { 'x-provider-attempt-token': token },
  };
}

function statusIn(data: string): AttemptStatus {
  return checked(fromWire(JSON.parse(data)), ...MEMBERS);
}
