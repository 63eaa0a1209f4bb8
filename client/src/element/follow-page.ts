import { eachEvent } from '../event-stream.ts';
import { after, onAbort, pause, spread } from '../platform.ts';
import type { EndedStatus } from '../types.ts';
import { has, textOf } from '../wire.ts';

/** `relayEvents` sends its first event at once, and something every 15 seconds. */
const FIRST_EVENT_MS = 5_000;
const SILENCE_MS = 20_000;
const FIRST_PAUSE_MS = 1_500;
const LONGEST_PAUSE_MS = 10_000;
const LONGEST_RETRY_AFTER_S = 60;
/** Between two polls. A poll is a stream that ends with its first event. */
const POLL_MS = 2_000;
const HIDDEN_POLL_MS = 10_000;
/**
 * The numbers of the locks, one for each stream that the tabs of a browser may have at once. Over
 * HTTP/1.1 a browser has six connections to an origin for all its tabs, and their other requests
 * need some of them.
 */
const STREAM_LOCKS = [1, 2, 3];
/** In a row, until it gives up: after about ten minutes, twice as long as an attempt lives. */
const MOST_FAILURES = 60;
/** In a row, until it gives up: no address of `relayEvents` answers so. */
const MOST_FOREIGN = 5;

/** How an attempt has ended, as the page is told. */
export interface MiftahEnd {
  readonly status: EndedStatus['status'];
  /** Why, in the language of the attempt. */
  readonly message: string | null;
  /**
   * When the attempt could not be followed: a code of the catalogue, `client.refused` where the back
   * end has no attempt for this page, or `client.network` where it can't be reached.
   */
  readonly code?: string;
}

/** The page that shows the attempt: it is told what happens, as it happens. */
export interface StatusListener {
  /** The server has answered. @param dateMs its clock; NaN when it did not say */
  answered(dateMs: number): void;
  /** The attempt is pending, by a connection that works. */
  pending(): void;
  ended(end: MiftahEnd): void;
  /** @param failures in a row */
  lost(failures: number): void;
}

/** In the place of seconds: the poll has worked. */
const POLLED = -1;

/** What answered is not `relayEvents`. */
class ForeignAnswer extends Error {}

/**
 * Follows the events of an attempt at an address of the application's own back end, which passes
 * them on by `relayEvents`. Connects again by itself, until the signal is aborted. A hidden tab polls,
 * and so does one that gets no lock for a stream. Never throws: when it gives up, it calls `ended`.
 */
export async function followPage(
  url: string,
  signal: AbortSignal,
  page: StatusListener,
): Promise<void> {
  let failures = 0;
  let foreign = 0;
  const counting: StatusListener = {
    ...page,
    pending: () => {
      failures = foreign = 0;
      page.pending();
    },
  };
  const isHopeless = () => failures >= MOST_FAILURES || foreign >= MOST_FOREIGN;
  while (!isHopeless()) {
    const connect = (isPoll: boolean) =>
      readStream(url, isPoll, signal, counting).catch((error: unknown) => {
        if (error instanceof ForeignAnswer) foreign += 1;
        return 0;
      });
    const isHidden = document.visibilityState === 'hidden';
    const streamed = isHidden ? null : await withStreamLock(() => connect(false));
    const retryAfterS = streamed ?? (await connect(true));
    if (signal.aborted) return;
    if (retryAfterS === POLLED) {
      await pause(isHidden ? HIDDEN_POLL_MS : POLL_MS, signal);
      continue;
    }
    failures += 1;
    page.lost(failures);
    const longer = Math.min(FIRST_PAUSE_MS * 2 ** (failures - 1), LONGEST_PAUSE_MS);
    await pause(spread(longer) + retryAfterS * 1000, signal);
    if (signal.aborted) return;
  }
  page.ended({ status: 'failed', message: null, code: 'client.network' });
}

/**
 * Runs `work` with a lock for a stream. @returns null where no lock is free, or the page has none: the
 * browser gives locks only to a page of HTTPS or of this machine
 */
async function withStreamLock(work: () => Promise<number>): Promise<number | null> {
  const { locks }: { locks?: LockManager } = navigator;
  for (const number of STREAM_LOCKS) {
    const taken = locks?.request(
      `miftah-wait-${number}`,
      { ifAvailable: true },
      (lock) => lock && work(),
    );
    // A page without an origin, as in a sandbox, has locks and may not use them.
    const retryAfterS = await taken?.catch(() => null);
    if (typeof retryAfterS === 'number') return retryAfterS;
  }
  return null;
}

/**
 * One connection: a stream that lasts as long as it can, or a poll.
 * @returns after how many seconds the server wants to be asked again; `POLLED` after a poll that worked
 * @throws ForeignAnswer
 */
async function readStream(
  url: string,
  isPoll: boolean,
  outer: AbortSignal,
  page: StatusListener,
): Promise<number> {
  const silence = new AbortController();
  const { signal } = silence;
  const leave = () => silence.abort();
  onAbort(outer, signal, leave);
  let stopTimer = after(FIRST_EVENT_MS, leave);
  try {
    const response = await fetch(url, {
      headers: { accept: 'text/event-stream' },
      cache: 'no-store',
      // An address that leads elsewhere, as to a page for signing in, has no events.
      redirect: 'manual',
      signal,
    });
    const { status, headers, body } = response;
    outer.throwIfAborted();
    if (isFinal(status)) page.ended({ status: 'failed', message: null, code: 'client.refused' });
    const isStream = headers.get('content-type')?.startsWith('text/event-stream');
    const date = headers.get('date') ?? '';
    // The events say the time of the service; this answer is by the application's clock.
    if (status !== 200 || !isStream) page.answered(Date.parse(date));
    if (status < 400 && !isStream) throw new ForeignAnswer();
    if (status !== 200 || !body) return retryAfter(headers);
    let hasBegun = false;
    await eachEvent(body, (data) => {
      // The page has given up this wait: it may follow another sign-in by now.
      outer.throwIfAborted();
      hasBegun ||= data !== null;
      if (!hasBegun) return false;
      stopTimer();
      stopTimer = after(SILENCE_MS, leave);
      return data !== null && (passOn(data, date, page) || isPoll);
    });
    return isPoll && hasBegun ? POLLED : 0;
  } finally {
    stopTimer();
    leave();
  }
}

/** Whether the answer says that there is no attempt for this page: asking again changes nothing. */
function isFinal(status: number): boolean {
  const isRefused = status >= 400 && status < 500 && ![408, 425, 429].includes(status);
  return isRefused || status === 204;
}

function retryAfter(headers: Headers): number {
  const seconds = Number(headers.get('retry-after'));
  return seconds > 0 ? Math.min(seconds, LONGEST_RETRY_AFTER_S) : 0;
}

/** Passes one event on. @returns whether it was the last one */
function passOn(data: string, date: string, page: StatusListener): boolean {
  const event = parsed(data);
  if (!has<{ status: unknown }>(event, 'status')) {
    page.ended({ status: 'failed', message: null, code: textOf(event, 'code') ?? 'unknown' });
  } else if (event.status === 'pending') {
    page.answered(Date.parse(textOf(event, 'date') ?? date));
    page.pending();
    return false;
  } else {
    page.ended({ status: endOf(event.status), message: textOf(event, 'message') ?? null });
  }
  return true;
}

function parsed(data: string): unknown {
  try {
    return JSON.parse(data);
  } catch {
    throw new ForeignAnswer();
  }
}

/** A status of a later version, which is not known here, counts as failed. */
function endOf(status: unknown): MiftahEnd['status'] {
  return status === 'authenticated' || status === 'rejected' || status === 'expired'
    ? status
    : 'failed';
}
