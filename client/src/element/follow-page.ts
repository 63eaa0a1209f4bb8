import { eachEvent } from '../event-stream.ts';
import { after, eitherOf, pause, spread } from '../platform.ts';
import type { EndedStatus } from '../types.ts';
import { has, textOf } from '../wire.ts';

/** `relayEvents` sends its first event at once, and something every 15 seconds. */
const FIRST_EVENT_MS = 5_000;
const SILENCE_MS = 20_000;
const FIRST_PAUSE_MS = 1_500;
const LONGEST_PAUSE_MS = 10_000;
const LONGEST_RETRY_AFTER_S = 60;
/** Between two polls, which are streams that end with their first event. */
const POLL_MS = 2_000;
const HIDDEN_POLL_MS = 10_000;
/**
 * The locks of streams. Over HTTP/1.1 a browser has six connections to an origin for all its tabs,
 * and their other requests need some of them.
 */
const PLACES = [1, 2, 3];
/** In a row: for some ten minutes, twice as long as an attempt lives. */
const MOST_FAILURES = 60;
/** In a row: an address that answers so is none of `relayEvents`. */
const MOST_FOREIGN = 5;

/** How an attempt has ended, as the page was told. */
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

/** What a page is told. */
export interface Told {
  /** The server has answered. @param dateMs its clock; NaN when it did not say */
  answered(dateMs: number): void;
  /** The attempt is pending, by a connection that works. */
  pending(): void;
  ended(end: MiftahEnd): void;
  /** @param failures in a row */
  lost(failures: number): void;
}

/** No seconds: a poll that has worked. */
const POLLED = -1;

/** What answered is not `relayEvents`. */
class ForeignAnswer extends Error {}

/**
 * Follows the events of an attempt at an address of the application's own back end, which passes
 * them on by `relayEvents`. Connects again by itself, until the signal is aborted. A tab that is hidden
 * polls, and so does one that finds no place for a stream. Never fails: when it gives up, that is the
 * end that it tells.
 */
export async function followPage(url: string, signal: AbortSignal, told: Told): Promise<void> {
  let failures = 0;
  let foreign = 0;
  const tell: Told = {
    ...told,
    pending: () => {
      failures = foreign = 0;
      told.pending();
    },
  };
  const isHopeless = () => failures >= MOST_FAILURES || foreign >= MOST_FOREIGN;
  while (!isHopeless()) {
    const connect = (isPoll: boolean) =>
      connection(url, isPoll, signal, tell).catch((error: unknown) => {
        if (error instanceof ForeignAnswer) foreign += 1;
        return 0;
      });
    const isHidden = document.visibilityState === 'hidden';
    const asked = (isHidden ? null : await inPlace(() => connect(false))) ?? (await connect(true));
    if (signal.aborted) return;
    if (asked === POLLED) {
      await pause(isHidden ? HIDDEN_POLL_MS : POLL_MS, signal);
      continue;
    }
    failures += 1;
    told.lost(failures);
    const longer = Math.min(FIRST_PAUSE_MS * 2 ** (failures - 1), LONGEST_PAUSE_MS);
    await pause(spread(longer) + asked * 1000, signal);
    if (signal.aborted) return;
  }
  told.ended({ status: 'failed', message: null, code: 'client.network' });
}

/** Null where there is no place for another stream. A page that is not secure has no locks. */
async function inPlace(work: () => Promise<number>): Promise<number | null> {
  const { locks }: { locks?: LockManager } = navigator;
  for (const place of PLACES) {
    const taken = locks?.request(
      `miftah-wait-${place}`,
      { ifAvailable: true },
      (lock) => lock && work(),
    );
    // A page without an origin, as in a sandbox, has locks and may not use them.
    const asked = await taken?.catch(() => null);
    if (typeof asked === 'number') return asked;
  }
  return null;
}

/**
 * @returns after how many seconds the server wants to be asked again; `POLLED` after a poll that worked
 * @throws ForeignAnswer
 */
async function connection(
  url: string,
  isPoll: boolean,
  outer: AbortSignal,
  told: Told,
): Promise<number> {
  const silence = new AbortController();
  const signal = eitherOf(outer, silence.signal);
  let stopTimer = after(FIRST_EVENT_MS, () => silence.abort());
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
    if (isFinal(status)) told.ended({ status: 'failed', message: null, code: 'client.refused' });
    const isStream = headers.get('content-type')?.startsWith('text/event-stream') === true;
    const date = headers.get('date') ?? '';
    // The events say the time of the service; this answer is by the application's clock.
    if (status !== 200 || !isStream) told.answered(Date.parse(date));
    if (status < 400 && !isStream) throw new ForeignAnswer();
    if (status !== 200 || body === null) return retryAfter(headers);
    let hasBegun = false;
    await eachEvent(body, (data) => {
      // What was read before the wait was given up, and not yet taken, is of another sign-in.
      outer.throwIfAborted();
      hasBegun ||= data !== null;
      if (!hasBegun) return false;
      stopTimer();
      stopTimer = after(SILENCE_MS, () => silence.abort());
      return data !== null && (take(data, date, told) || isPoll);
    });
    return isPoll && hasBegun ? POLLED : 0;
  } finally {
    stopTimer();
    silence.abort();
  }
}

/** There is no attempt, or not for this page. */
function isFinal(status: number): boolean {
  if (status === 204) return true;
  return status >= 400 && status < 500 && ![408, 425, 429].includes(status);
}

function retryAfter(headers: Headers): number {
  const seconds = Number.parseInt(headers.get('retry-after') ?? '', 10);
  return seconds > 0 ? Math.min(seconds, LONGEST_RETRY_AFTER_S) : 0;
}

/** @returns whether it was the last event */
function take(data: string, date: string, told: Told): boolean {
  const event = parsed(data);
  if (!has<{ status: unknown }>(event, 'status')) {
    told.ended({ status: 'failed', message: null, code: textOf(event, 'code') ?? 'unknown' });
  } else if (event.status === 'pending') {
    told.answered(Date.parse(textOf(event, 'date') ?? date));
    told.pending();
    return false;
  } else {
    told.ended({ status: endOf(event.status), message: textOf(event, 'message') ?? null });
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

/** What is not known here has not succeeded. */
function endOf(status: unknown): MiftahEnd['status'] {
  return status === 'authenticated' || status === 'rejected' || status === 'expired'
    ? status
    : 'failed';
}
