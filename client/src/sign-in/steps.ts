import { MiftahError } from '../error.ts';
import type { Login } from '../login.ts';
import { relayEvents } from '../relay-events.ts';
import type { ApiToken, Flow } from '../types.ts';
import { RequestCookie, SealedCookie, type Locale } from './cookie.ts';
import { fileOfElement } from './element-file.ts';
import { FORM_TYPE, FormTooLong } from './form.ts';
import type { Answers, SignInOptions } from './options.ts';
import { pageThatWaits, SCRIPT } from './waiting-page.ts';

/**
 * How a sign-in ended that has signed in nobody. `dropped`: this browser has started none that this
 * could be the return of. `refused`: the service said no, or was not there; `error` says which.
 */
export type SignInEnd =
  | { readonly outcome: 'dropped' | 'rejected' | 'expired' | 'failed' | 'cancelled' }
  | { readonly outcome: 'refused'; readonly error: MiftahError };

/** One request, whatever framework has it. */
export interface SignInCall {
  readonly method: string;
  /** Path and query, as the browser asked for them. */
  readonly url: string;
  readonly header: (name: string) => string | undefined;
  readonly form: () => Promise<URLSearchParams>;
  /** The IP address of the person, for the limits of the service. */
  readonly address: string | undefined;
}

/** What is to be done about a request. Each but an answer of ours is the application's to answer. */
export type Step =
  | { readonly answer: Response }
  | { readonly token: ApiToken; readonly cookie: string | null }
  | { readonly end: SignInEnd; readonly cookie: string | null }
  | { readonly out: true; readonly cookie: string | null };

interface Asked {
  readonly call: SignInCall;
  readonly cookie: RequestCookie;
  readonly login: Login;
}

type Handler = (asked: Asked) => Promise<Step>;

const LEAST_HEADERS = {
  'cache-control': 'no-store',
  'referrer-policy': 'same-origin',
  'x-content-type-options': 'nosniff',
};

/**
 * The addresses of a sign-in and what happens at each: `POST start`, `GET wait`, `GET events`,
 * `GET return`, `POST finish`, `POST cancel` and `POST out`, with the two scripts of the page that
 * waits.
 */
export class SignIn {
  readonly #options: SignInOptions;
  readonly #app: URL;
  readonly #cookie: SealedCookie;
  readonly #handlers: ReadonlyMap<string, Handler>;
  readonly path: string;

  constructor(options: SignInOptions & Answers) {
    const { appUrl, secret, path = '/sign-in', signedOut } = options;
    this.#app = new URL(appUrl);
    this.#options = options;
    this.#cookie = new SealedCookie(this.#app, path, secret);
    this.path = path;
    this.#handlers = new Map<string, Handler>([
      ['POST /start', (asked) => this.#start(asked)],
      ['GET /wait', (asked) => this.#wait(asked)],
      ['GET /events', (asked) => this.#events(asked)],
      ['GET /return', (asked) => this.#finish(asked, 'oidc')],
      ['POST /finish', (asked) => this.#finish(asked, 'mfa')],
      ['POST /cancel', (asked) => this.#cancel(asked)],
      ...(signedOut === undefined ? [] : [signOut]),
      ['GET /wait.js', async () => script(SCRIPT)],
      ['GET /element.js', async () => script(await fileOfElement())],
    ]);
  }

  /** @returns null for a request to any other address than those of the sign-in */
  async step(call: SignInCall): Promise<Step | null> {
    const [path = ''] = call.url.split('?');
    if (!path.startsWith(`${this.path}/`)) return null;
    const step = path.slice(this.path.length);
    const handler = this.#handlers.get(`${call.method} ${step}`);
    if (handler === undefined) return this.#unknown(step);
    // A page of another site could post its form with this browser's cookie.
    if (call.method === 'POST' && call.header('origin') !== this.#app.origin) {
      return text(403, 'This form was not sent by a page of this application.');
    }
    const { client, locale = 'ar' } = this.#options;
    const cookie = await RequestCookie.of(this.#cookie, call.header('cookie'), locale);
    const login = client.createLogin(cookie);
    const shown = new URL(call.url, this.#app).searchParams.get('attempt');
    if (shown !== null && shown !== (await login.attempt(''))?.id) {
      // The page is of a sign-in whose place another one has taken, as in another tab.
      return step === '/events' ? noEvents() : goTo(`${this.path}/wait`, cookie);
    }
    try {
      return await handler({ call, cookie, login });
    } catch (error) {
      if (error instanceof FormTooLong) return text(413, 'This form is too long.');
      if (!(error instanceof MiftahError)) throw error;
      return { end: { outcome: 'refused', error }, cookie: cookie.changed };
    }
  }

  #unknown(step: string): Step | null {
    const methods = ['GET', 'POST'].filter((method) => this.#handlers.has(`${method} ${step}`));
    return methods.length === 0 ? null : text(405, 'Not this way.', { allow: methods.join() });
  }

  async #start({ call, cookie, login }: Asked): Promise<Step> {
    // Read as another kind it would have no number, and a sign-in by phone would become one by browser.
    if (call.header('content-type')?.startsWith(FORM_TYPE) !== true) {
      return text(415, `A sign-in starts with a form (${FORM_TYPE}).`);
    }
    const form = await call.form();
    const numbers = [...form.keys()].filter((name) => name.startsWith('national_id'));
    if (numbers.length > 1 || (numbers[0] ?? 'national_id') !== 'national_id') {
      return text(400, 'A form has one national_id, or none.');
    }
    cookie.locale = localeIn(form) ?? cookie.locale;
    const attempt = await login.start('', {
      locale: cookie.locale,
      nationalId: form.get('national_id') ?? undefined, // With it by phone, without it by browser.
      returnAddress: new URL(`${this.path}/return`, this.#app).href,
      endUserAddress: call.address,
    });
    return goTo(attempt.authorizationUrl ?? `${this.path}/wait`, cookie);
  }

  async #wait({ call, cookie, login }: Asked): Promise<Step> {
    const attempt = await login.attempt('');
    if (attempt?.flow !== 'mfa') return goTo('/', cookie);
    const { waitingPage } = this.#options;
    const locale = localeIn(new URL(call.url, this.#app).searchParams) ?? cookie.locale;
    const waiting = { attempt, locale, path: this.path };
    if (waitingPage !== undefined) return html(waitingPage(waiting));
    const page = await pageThatWaits(waiting);
    return html(page.html, { 'content-security-policy': page.policy });
  }

  async #events({ call, login }: Asked): Promise<Step> {
    const attempt = await login.attempt('');
    if (attempt === null) return noEvents();
    return { answer: relayEvents(attempt, { lastEventId: call.header('last-event-id') ?? null }) };
  }

  /** Each flow by its own address: another site can send a browser to that of the return. */
  async #finish({ call, cookie, login }: Asked, flow: Flow): Promise<Step> {
    const { deviceName } = this.#options;
    const started = await login.attempt('');
    if (started?.flow !== flow) return { end: { outcome: 'dropped' }, cookie: null };
    const result = await login.finish('', {
      returned: call.url,
      ...(deviceName === undefined ? {} : { deviceName }),
      endUserAddress: call.address,
    });
    if (result.outcome === 'authenticated') return { token: result.token, cookie: cookie.changed };
    const { outcome } = result;
    if (outcome !== 'pending') return { end: { outcome }, cookie: cookie.changed };
    if (flow === 'mfa') return goTo(`${this.path}/wait`, cookie);
    return { end: { outcome: 'dropped' }, cookie: cookie.changed };
  }

  async #cancel({ call, cookie, login }: Asked): Promise<Step> {
    const attempt = await login.attempt('');
    await attempt?.cancel({ endUserAddress: call.address }).catch((error: unknown) => {
      // One that has ended by itself in the meantime is no less gone for the person.
      if (!(error instanceof MiftahError && OVER.has(error.status))) throw error;
    });
    cookie.delete();
    return { end: { outcome: 'cancelled' }, cookie: cookie.changed };
  }
}

/** What the service answers about an attempt that nobody can finish any more. */
const OVER: ReadonlySet<number> = new Set([404, 409, 410]);

const signOut: readonly [string, Handler] = [
  'POST /out',
  async ({ call, cookie, login }) => {
    const attempt = await login.attempt('');
    cookie.delete();
    // Whoever signs out is signed out at once: the session does not wait for the service.
    void attempt?.cancel({ endUserAddress: call.address }).catch(() => undefined);
    return { out: true, cookie: cookie.changed };
  },
];

function localeIn(members: URLSearchParams): Locale | undefined {
  return (['ar', 'en'] as const).find((locale) => locale === members.get('locale'));
}

/** Where the application has no answer of its own for it. */
export function defaultEnd(end: SignInEnd): string {
  const code = end.outcome === 'refused' ? `&code=${encodeURIComponent(end.error.code)}` : '';
  return `/?sign_in=${end.outcome}${code}`;
}

function goTo(location: string, { changed }: RequestCookie): Step {
  const cookie = changed === null ? {} : { 'set-cookie': changed };
  return respond(null, 303, { location, ...cookie });
}

/** `EventSource` and the element do not ask again. */
function noEvents(): Step {
  return respond(null, 204, {});
}

function html(page: string, more: Readonly<Record<string, string>> = {}): Step {
  return respond(page, 200, { 'content-type': 'text/html; charset=utf-8', ...more });
}

function script(code: string): Step {
  return respond(code, 200, { 'content-type': 'text/javascript; charset=utf-8' });
}

function text(status: number, sentence: string, more: Readonly<Record<string, string>> = {}): Step {
  return respond(sentence, status, { 'content-type': 'text/plain; charset=utf-8', ...more });
}

function respond(
  body: string | null,
  status: number,
  headers: Readonly<Record<string, string>>,
): Step {
  return { answer: new Response(body, { status, headers: { ...LEAST_HEADERS, ...headers } }) };
}
