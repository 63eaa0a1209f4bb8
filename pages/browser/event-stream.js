// Follows the simulator's server-sent events by fetch, which can send a token. Becomes a part of phone.js
// where that is read, and of the console's script.

/** The simulator sends something every 15 seconds. */
const SILENCE_MS = 30_000;
/** It sends an event at once: where none comes, something on the way keeps streams back. */
const FIRST_MS = 5_000;
const POLL_MS = 1_000;
/** In a row, before a stream is tried again. */
const MOST_POLLS = 60;
/**
 * The locks of streams. Over HTTP/1.1 a browser has six connections to an origin for all its tabs, and
 * the other calls need some of them.
 */
const PLACES = ['miftah-stream-1', 'miftah-stream-2', 'miftah-stream-3'];

/** @typedef {{name: string, data: string}} StreamEvent */
/** @typedef {{hasWorked: boolean, refusal: Response | null}} End of a request */

/**
 * @typedef {object} Source
 * @property {string} path of the events
 * @property {Record<string, string>} headers
 * @property {(event: StreamEvent) => unknown} take is given one event after the other
 */

/**
 * Gives this tab the events while it is visible. Visible tabs with the same path and headers share one
 * stream: one of them has it, and passes its events on. That one polls where there is no place for a
 * stream, or none comes through. In a page that has no locks, which is one without TLS from another
 * machine, each tab polls.
 * @param {Source} source
 * @returns {Promise<Response | null>} when this tab's own requests have ended: the refusal, or null
 *   where there was no answer, or an event that `take` has failed with
 */
export async function followEvents({ path, headers, take }) {
  // A later event says only what has changed since. The whole is said to who asks again.
  const lost = new AbortController();
  let taken = Promise.resolve();
  /** @param {StreamEvent} event */
  const inOrder = (event) =>
    void (taken = taken.then(async () => void (await take(event))).catch(() => lost.abort()));
  const { locks } = /** @type {{locks?: LockManager}} */ (navigator);
  const source = { path, headers, take: inOrder };
  if (locks === undefined) {
    const ask = async (/** @type {AbortSignal} */ signal) =>
      (await poll(source, signal, Infinity)) ?? null;
    return whileVisible(ask, lost.signal);
  }
  const tabs = new Tabs(await groupOf(source), inOrder);
  const shared = { ...source, take: (/** @type {StreamEvent} */ event) => tabs.pass(event) };
  const inTurn = (/** @type {AbortSignal} */ signal) => {
    tabs.askAgain();
    return locks.request(tabs.name, { signal }, () => lead(shared, tabs, signal));
  };
  return whileVisible(inTurn, lost.signal).finally(() => tabs.leave());
}

/** The tabs that share a stream, as one of them sees the others. */
class Tabs {
  #channel;
  #take;
  /** Aborted when another tab has come, which knows nothing yet. */
  newcomer = new AbortController();

  /** @param {string} name @param {(event: StreamEvent) => void} take */
  constructor(name, take) {
    this.name = name;
    this.#take = take;
    this.#channel = new BroadcastChannel(name);
    this.#channel.addEventListener('message', (message) => {
      const event = /** @type {StreamEvent | null} */ (message.data);
      if (event === null) this.newcomer.abort();
      else take(event);
    });
  }

  /** A stream says all of it at its beginning only: the tab that has it opens it again. */
  askAgain() {
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a channel, no window
    this.#channel.postMessage(null);
  }

  /** @param {StreamEvent} event */
  pass(event) {
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a channel, no window
    this.#channel.postMessage(event);
    this.#take(event);
  }

  leave() {
    this.#channel.close();
  }
}

/**
 * Runs the work whenever this tab is seen, until it ends by itself.
 * @template Result
 * @param {(signal: AbortSignal) => Promise<Result>} work its signal is aborted when the tab is hidden
 * @param {AbortSignal} lost ends it for good
 * @returns null when it was lost
 */
async function whileVisible(work, lost) {
  while (!lost.aborted) {
    await seen();
    const leave = new AbortController();
    const look = () => (document.visibilityState === 'hidden' || lost.aborted) && leave.abort();
    document.addEventListener('visibilitychange', look);
    lost.addEventListener('abort', look);
    look();
    try {
      const result = await work(leave.signal);
      if (!leave.signal.aborted) return result;
    } catch (error) {
      if (!leave.signal.aborted) throw error;
    } finally {
      document.removeEventListener('visibilitychange', look);
      lost.removeEventListener('abort', look);
    }
  }
  return null;
}

/** Resolves as soon as the tab is seen. @returns {Promise<void>} */
function seen() {
  return new Promise((resolve) => {
    const look = () => {
      if (document.visibilityState !== 'visible') return;
      document.removeEventListener('visibilitychange', look);
      resolve();
    };
    document.addEventListener('visibilitychange', look);
    look();
  });
}

/**
 * Follows the events for all tabs.
 * @param {Source} source @param {Tabs} tabs @param {AbortSignal} signal
 */
async function lead(source, tabs, signal) {
  while (!signal.aborted) {
    if (await streamInPlace(source, tabs, signal)) return null;
    const refusal = await poll(source, signal, MOST_POLLS);
    if (refusal !== undefined) return refusal;
  }
  return null;
}

/** @param {Source} source @param {Tabs} tabs @param {AbortSignal} signal @returns whether it had news */
async function streamInPlace(source, tabs, signal) {
  for (const place of PLACES) {
    const end = await navigator.locks.request(place, { ifAvailable: true }, (lock) =>
      lock === null ? null : stream(source, tabs, signal),
    );
    if (end !== null) return end.hasWorked;
  }
  return false;
}

/** @param {Source} source @param {Tabs} tabs @param {AbortSignal} signal */
async function stream(source, tabs, signal) {
  for (;;) {
    tabs.newcomer = new AbortController();
    const { newcomer } = tabs;
    const end = await read(source, [signal, newcomer.signal]);
    if (!newcomer.signal.aborted || signal.aborted) return end;
  }
}

/**
 * Asks for the events of now, again and again.
 * @param {Source} source @param {AbortSignal} signal @param {number} most
 * @returns the refusal, null where there was no answer, or undefined when all was answered
 */
async function poll(source, signal, most) {
  const { path } = source;
  const once = { ...source, path: `${path}${path.includes('?') ? '&' : '?'}once=yes` };
  for (let count = 0; count < most && !signal.aborted; count += 1) {
    const { hasWorked, refusal } = await read(once, [signal]);
    if (!hasWorked) return refusal;
    await new Promise((resolve) => void setTimeout(resolve, POLL_MS));
  }
  return undefined;
}

/** @param {Source} source @param {readonly AbortSignal[]} signals @returns {Promise<End>} */
async function read({ path, headers, take }, signals) {
  const control = new AbortController();
  const stop = () => control.abort();
  const late = setTimeout(stop, FIRST_MS);
  for (const signal of signals) signal.addEventListener('abort', stop);
  if (signals.some(({ aborted }) => aborted)) stop();
  let hasWorked = false;
  try {
    const answer = await fetch(path, { headers, signal: control.signal });
    if (!answer.ok) return { hasWorked, refusal: answer };
    for await (const event of eventsOf(answer)) {
      clearTimeout(late);
      hasWorked = true;
      take(event);
    }
  } catch {
    // There was no answer, or nobody wants it any more.
  } finally {
    clearTimeout(late);
    for (const signal of signals) signal.removeEventListener('abort', stop);
  }
  return { hasWorked, refusal: null };
}

/** What is told to whom. The digest keeps a token out of a name that is listed. @param {Source} source */
async function groupOf({ path, headers }) {
  const text = new TextEncoder().encode(JSON.stringify([path, headers]));
  const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', text));
  return `miftah-events-${Array.from(digest, (byte) => byte.toString(16)).join('-')}`;
}

/** The events of a stream, until it ends or is silent. @param {Response} answer */
export async function* eventsOf(answer) {
  const reader = /** @type {ReadableStream<Uint8Array>} */ (answer.body).getReader();
  const decoder = new TextDecoder();
  let rest = '';
  try {
    for (;;) {
      const chunk = await Promise.race([reader.read().catch(() => null), silence()]);
      if (chunk?.value === undefined) return;
      const blocks = (rest + decoder.decode(chunk.value, { stream: true })).split('\n\n');
      rest = blocks.pop() ?? '';
      for (const block of blocks) yield* eventIn(block);
    }
  } finally {
    void reader.cancel().catch(() => null);
  }
}

/** None for a comment. Several lines of data are one text. @param {string} block */
function eventIn(block) {
  const fields = block.split('\n').map((line) => /^(\w*)(?:: ?(.*))?$/.exec(line) ?? []);
  /** @param {string} wanted */
  const valuesOf = (wanted) =>
    fields.filter(([, name]) => name === wanted).map(([, , value = '']) => value);
  const data = valuesOf('data');
  /** @type {StreamEvent[]} */
  const found = [{ name: valuesOf('event').at(-1) ?? 'message', data: data.join('\n') }];
  return data.length === 0 ? [] : found;
}

/** @returns {Promise<null>} */
const silence = () => new Promise((resolve) => void setTimeout(resolve, SILENCE_MS, null));
