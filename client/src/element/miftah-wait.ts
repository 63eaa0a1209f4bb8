import { followPage, type MiftahEnd } from './follow-page.ts';
import { ServerClock } from './server-clock.ts';
import { isPending, View, type WaitState } from './view.ts';
import { languageOf } from './words.ts';
import { monotonicMs } from '../platform-clock.ts';
import { every } from '../platform.ts';

const TICK_MS = 250;
/** The service says a little later than this page that the time is over. */
const GRACE_MS = 10_000;
/** How long an end is still expected after the time is over. */
const AFTER_MS = 120_000;
const OFFLINE_LONG_MS = 10_000;
/** How long it may be in a page with neither an address nor a time. */
const BARE_MS = 10_000;
/** A connection that was lost once is mostly back at once. */
const FAILURES_SHOWN = 2;

const BARE: MiftahEnd = { status: 'failed', message: null, code: 'client.no_address' };

const ATTRIBUTES = ['random', 'expires-at', 'events-url', 'locale'] as const;
const PROPERTIES = ['random', 'expiresAt', 'eventsUrl', 'locale'] as const;

/** On a server there are no elements: the module can be imported, and makes none. */
const Base =
  globalThis.HTMLElement ??
  function noDocument() {
    throw new TypeError('A <miftah-wait> needs a document.');
  };

/**
 * `<miftah-wait>` shows the number to match, the time that is left, and how a sign-in goes, in
 * Arabic or English. Every change of `random`, `expiresAt` and `eventsUrl` is another sign-in.
 *
 * Events, which bubble: `miftah-end` once with a `MiftahEnd`, and `miftah-expired` once when the time
 * is over, which can be seen without a connection.
 */
export class MiftahWait extends Base {
  static readonly observedAttributes: readonly string[] = ATTRIBUTES;

  readonly #internals = internalsOf(this);
  readonly #view = new View(this.attachShadow({ mode: 'open' }), () => this.#retry());
  #state: WaitState = 'connecting';
  #clock = new ServerClock();
  /** Aborted when the element is removed, and when another sign-in begins. */
  #sign = new AbortController();
  #connection = new AbortController();
  /** Whether the time can be trusted: the server has answered, or can't. */
  #isTold = false;
  #hasExpired = false;
  #hasEnded = false;
  #isTrying = false;
  #offlineSince = 0;
  /** When it began to wait for a sign-in. */
  #since = 0;
  #isChanging = false;
  /** Whether what it waits for has not begun. */
  #isNew = true;

  /** The number to match. It is text: it may begin with zeros. */
  get random(): string | null {
    return this.getAttribute('random');
  }
  set random(value: string | null) {
    if (typeof value === 'number') throw new TypeError('random is text: a number loses its zeros.');
    this.#reflect('random', value);
  }

  /** When the attempt expires, by the clock of the service. Takes text in ISO 8601, too. */
  get expiresAt(): Date | null {
    const at = new Date(this.getAttribute('expires-at') ?? '');
    return Number.isNaN(at.getTime()) ? null : at;
  }
  set expiresAt(value: Date | string | null) {
    this.#reflect('expires-at', value instanceof Date ? value.toISOString() : value);
  }

  /** The address of the application's own back end that answers with `relayEvents`. */
  get eventsUrl(): string | null {
    return this.getAttribute('events-url');
  }
  set eventsUrl(value: string | null) {
    this.#reflect('events-url', value);
  }

  /** A language tag. Without one, the language of the place in the page counts. */
  get locale(): string | null {
    return this.getAttribute('locale');
  }
  set locale(value: string | null) {
    this.#reflect('locale', value);
  }

  /** What is shown now. */
  get state(): WaitState {
    return this.#state;
  }

  connectedCallback(): void {
    this.#adoptProperties();
    if (this.#isNew) this.#begin();
    // Moved in the page, or put back: an end that was told is not told again.
    else if (!this.#hasEnded) this.#goOnWaiting();
  }

  disconnectedCallback(): void {
    this.#sign.abort();
    this.#connection.abort();
  }

  attributeChangedCallback(name: string, before: string | null, after: string | null): void {
    if (before === after) return;
    if (name === 'locale') return this.#render();
    this.#isNew = true;
    if (!this.isConnected || this.#isChanging) return;
    // All that a task changes is one change.
    this.#isChanging = true;
    queueMicrotask(() => {
      this.#isChanging = false;
      // The attributes of the markup are told before `connectedCallback`, which has begun by now.
      if (this.isConnected && this.#isNew) this.#begin();
    });
  }

  #reflect(name: (typeof ATTRIBUTES)[number], value: string | null): void {
    if (value === null || value === undefined) this.removeAttribute(name);
    else this.setAttribute(name, value);
  }

  /** What was set before the element was defined is in the way of its properties. */
  #adoptProperties(): void {
    for (const name of PROPERTIES) {
      if (!Object.hasOwn(this, name)) continue;
      const value: unknown = Reflect.get(this, name);
      Reflect.deleteProperty(this, name);
      Reflect.set(this, name, value);
    }
  }

  /** Begins to wait for a sign-in, and forgets the one before. */
  #begin(): void {
    this.#clock = new ServerClock();
    this.#since = monotonicMs();
    this.#isNew = this.#hasExpired = this.#hasEnded = this.#isTrying = false;
    this.#show(this.eventsUrl === null ? 'waiting' : 'connecting');
    this.#goOnWaiting();
  }

  #goOnWaiting(): void {
    this.#sign.abort();
    this.#sign = new AbortController();
    this.#listen(this.#sign.signal);
    this.#connect();
    this.#render();
  }

  #listen(signal: AbortSignal): void {
    const stopTicking = every(TICK_MS, () => this.#tick());
    signal.addEventListener('abort', stopTicking);
    const again = () => this.#connect();
    addEventListener('online', again, { signal });
    // An open connection keeps a page out of the cache that the browser goes back to.
    addEventListener('pagehide', () => this.#connection.abort(), { signal });
    addEventListener('pageshow', ({ persisted }) => persisted && again(), { signal });
    // One that is hidden ends its stream and polls, one that is seen asks at once.
    document.addEventListener('visibilitychange', again, { signal });
  }

  /** Asks anew. What is shown stays until there is an answer. */
  #connect(): void {
    this.#connection.abort();
    const url = this.eventsUrl;
    this.#isTold = url === null;
    if (url === null || this.#hasEnded) return;
    this.#connection = new AbortController();
    const { signal } = this.#connection;
    void followPage(url, signal, {
      answered: (dateMs) => {
        this.#clock.heard(dateMs);
        this.#isTold = true;
      },
      pending: () => this.#goOn('waiting'),
      ended: (end) => this.#end(end),
      lost: (failures) => this.#lost(failures),
    });
  }

  #lost(failures: number): void {
    this.#isTold = true;
    this.#isTrying = false;
    if (this.#hasExpired && (this.#leftMs() ?? 0) < -AFTER_MS) {
      return this.#end({ status: 'expired', message: null, code: 'client.network' });
    }
    if (failures < FAILURES_SHOWN && this.#state === 'waiting') return;
    if (this.#state !== 'offline') this.#offlineSince = monotonicMs();
    this.#goOn('offline');
  }

  #retry(): void {
    this.#isTrying = true;
    this.#connect();
    this.#render();
  }

  #tick(): void {
    if (this.#clock.hasJumped()) this.#connect();
    if (this.#hasExpired) return;
    if (this.#isBare() && monotonicMs() - this.#since >= BARE_MS) return this.#end(BARE);
    const leftMs = this.#leftMs();
    if (this.#isTold && leftMs !== null && leftMs <= -GRACE_MS) this.#expire();
    else this.#render();
  }

  #leftMs(): number | null {
    const at = this.expiresAt;
    return at === null ? null : at.getTime() - this.#clock.now();
  }

  #goOn(state: WaitState): void {
    if (this.#hasExpired) return;
    if (state === 'waiting') this.#isTrying = false;
    this.#show(state);
    this.#render();
  }

  /** Without a word of the service. An end that it tells later counts. */
  #expire(): void {
    this.#hasExpired = true;
    this.#show('expired');
    this.#render();
    this.#dispatch('miftah-expired', null);
    if (this.eventsUrl === null) this.#end({ status: 'expired', message: null });
  }

  /** Whether it has nothing to wait for. */
  #isBare(): boolean {
    return this.eventsUrl === null && this.expiresAt === null;
  }

  #end(end: MiftahEnd): void {
    this.#hasEnded = true;
    this.#sign.abort();
    this.#connection.abort();
    this.#show(end.status);
    this.#render();
    if (end.status === 'expired' && !this.#hasExpired) this.#dispatch('miftah-expired', null);
    this.#dispatch('miftah-end', end);
  }

  #dispatch(name: string, detail: MiftahEnd | null): void {
    this.dispatchEvent(new CustomEvent(name, { bubbles: true, composed: true, detail }));
  }

  #show(state: WaitState): void {
    this.#state = state;
    try {
      this.#internals?.states?.clear();
      this.#internals?.states?.add(state);
    } catch {
      // Some browsers take only names that begin with two dashes; the element works without them.
    }
  }

  #render(): void {
    const { state } = this;
    const place = this.closest<HTMLElement>('[lang]');
    const waited = monotonicMs() - this.#offlineSince;
    this.#view.show({
      language: languageOf(this.locale ?? place?.lang ?? navigator.language),
      state,
      random: this.random ?? '',
      leftMs: isPending(state) ? this.#leftMs() : null,
      canRetry: state === 'offline' && waited >= OFFLINE_LONG_MS,
      isTrying: this.#isTrying,
    });
  }
}

/** iOS before 16.4 has none, and other older browsers have none with states. */
function internalsOf(element: HTMLElement): Partial<ElementInternals> | undefined {
  const older: Partial<HTMLElement> = element;
  return older.attachInternals?.();
}
