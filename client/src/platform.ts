import { asFailure, MiftahError, ownFailure } from './error.ts';

/** Timers and randomness. Nothing here reads a clock, because clocks differ and pages sleep. */

const KEY_BYTES = 24;
/** Clients that were told the same time do not come back together. */
const SPREAD_MS = 500;

export function freshBytes(count: number): Uint8Array<ArrayBuffer> {
  return crypto.getRandomValues(new Uint8Array(count));
}

/** 192 random bits, as text for a header. */
export function randomKey(): string {
  return freshBytes(KEY_BYTES).join('.');
}

/** Between a half of `ms` and the whole, so that many clients do not come back together. */
export function spread(ms: number): number {
  return ms * (0.5 + Math.random() / 2);
}

/** Milliseconds until the same call may be tried again: as the service says, or about `ms`. */
export function waitOf({ retryAfter }: MiftahError, ms: number): number {
  return retryAfter === undefined ? spread(ms) : retryAfter * 1000 + spread(SPREAD_MS);
}

/** Resolves after `ms`, or as soon as the signal is aborted. */
export function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const ended = new AbortController();
    const end = () => {
      clearTimeout(timer);
      ended.abort();
      resolve();
    };
    const timer = setTimeout(end, ms);
    onAbort(signal, ended.signal, end);
  });
}

/**
 * Calls `work` when `outer` is aborted, or now where it is already; until `until` is aborted. The
 * oldest browsers have no `AbortSignal.any`.
 */
export function onAbort(
  outer: AbortSignal | undefined,
  until: AbortSignal,
  work: () => void,
): void {
  outer?.addEventListener('abort', work, { signal: until });
  if (outer?.aborted) work();
}

/** Calls `work` after `ms`. @returns a function that prevents it */
export function after(ms: number, work: () => void): () => void {
  const timer = setTimeout(work, ms);
  return () => clearTimeout(timer);
}

/** Calls `work` again and again. @returns a function that stops it */
export function every(ms: number, work: () => void): () => void {
  const timer = setInterval(work, ms);
  return () => clearInterval(timer);
}

/**
 * Runs work with a signal that is aborted after `ms`, with `outer`, and when the work has ended. With
 * `renew` it has so many milliseconds from then on.
 * @throws MiftahError `client.timeout`, `client.aborted`, or what the work threw
 */
export async function limited<Result>(
  ms: number,
  outer: AbortSignal | undefined,
  work: (signal: AbortSignal, renew: (ms: number) => void) => Promise<Result>,
): Promise<Result> {
  const control = new AbortController();
  const { signal } = control;
  const expire = () => control.abort(ownFailure('client.timeout', 'No answer in time.'));
  let timer: ReturnType<typeof setTimeout> | undefined;
  const renew = (more: number) => {
    clearTimeout(timer);
    timer = setTimeout(expire, more);
  };
  renew(ms);
  try {
    onAbort(outer, signal, () => control.abort(asAborted(outer?.reason)));
    signal.throwIfAborted();
    return await work(signal, renew);
  } catch (error) {
    throw asFailure(signal.aborted ? signal.reason : error);
  } finally {
    clearTimeout(timer);
    control.abort();
  }
}

function asAborted(reason: unknown): MiftahError {
  if (reason instanceof MiftahError) return reason;
  return ownFailure('client.aborted', 'The call was aborted.', { cause: reason });
}
