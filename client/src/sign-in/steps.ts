import { MiftahError } from '../error.ts';
import type { Login } from '../login.ts';
import { relayEvents } from '../relay-events.ts';
import type { ApiToken, Flow } from '../types.ts';
import { isAddress } from '../wire.ts';
import { NEW, RequestCookies, SealedCookies, type Locale } from './cookie.ts';
import { fileOfElement } from './element-file.ts';
import { FORM_TYPE, FormTooLong, readForm } from './form.ts';
import type { SignInOptions } from './options.ts';
import { pageThatWaits, SCRIPT } from './waiting-page.ts';

/**
 * How a sign-in ended that has signed in nobody. `dropped`: this browser has started none that this
 * could be the return of. `refused`: the service said no, or was not there; `error` says which.
 */
export type SignInEnd =
  | { readonly outcome: 'dropped' | 'rejected' | 'expired' | 'failed' | 'cancelled' }
  | {
      readonly outcome: 'refused';
      readonly error: MiftahError;
      /** Of a start by phone: what the person typed, for the form to show again. A log does not show it. */
      readonly nationalId?: string;
    };

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

/** @param address the IP address of the person */
export function callOf(request: Request, address: string | undefined): SignInCall {
  const { pathname, search } = new URL(request.url);
  return {
    method: request.method,
    url: pathname + search,
    header: (name) => request.headers.get(name) ?? undefined,
    form: () => readForm(request.body),
    address,
  };
}

/** What is to be done about a request. Each but an answer of ours is the application's to answer. */
export type Step =
  | { readonly answer: Response }
  | (({ readonly token: ApiToken } | { readonly end: SignInEnd } | { readonly out: true }) & {
      /** The headers `Set-Cookie` of the answer. */
      readonly cookies: readonly string[];
    });

interface Asked {
  readonly call: SignInCall;
  readonly cookies: RequestCookies;
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
  readonly #cookies: SealedCookies;
  readonly #handlers: ReadonlyMap<string, Handler>;
  readonly path: string;

  constructor(options: SignInOptions & { readonly signedOut?: unknown }) {
    const { appUrl, secret, path = '/sign-in', signedOut } = options;
    this.#app = new URL(appUrl);
    this.#options = options;
    this.#cookies = new SealedCookies(this.#app, path, secret);
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
    const origin = call.header('origin');
    if (call.method === 'POST' && origin !== this.#app.origin) return this.#foreign(origin);
    // What a visitor has written for a proxy is not the application's mistake, and the client throws.
    if (call.address !== undefined && !isAddress(call.address)) {
      return text(400, 'Where this request came from is no IP address: check the proxy.');
    }
    const { client, locale = 'ar' } = this.#options;
    const members = new URL(call.url, this.#app).searchParams;
    const shown = members.get('attempt');
    const named = shown ?? members.get('attempt_id');
    const header = call.header('cookie');
    const cookies = await RequestCookies.of(this.#cookies, header, named, locale);
    if (shown !== null && !cookies.ids.includes(shown)) {
      // The page is of a sign-in that is over, or that newer ones of this browser have replaced.
      return step === '/events' ? noEvents() : goTo(`${this.path}/wait`);
    }
    try {
      return await handler({ call, cookies, login: client.createLogin(cookies) });
    } catch (error) {
      if (error instanceof FormTooLong) return text(413, 'This form is too long.');
      if (!(error instanceof MiftahError)) throw error;
      return { end: { outcome: 'refused', error }, cookies: cookies.changed };
    }
  }

  #unknown(step: string): Step | null {
    const method = ['GET', 'POST'].find((one) => this.#handlers.has(`${one} ${step}`));
    if (method === undefined) return null;
    const remedy =
      method === 'GET'
        ? 'Open this address by GET.'
        : 'Send a form here, by POST: a link is no form.';
    return text(405, remedy, { allow: method });
  }

  /**
   * A start from another site, by a link too, could sign its visitor in as somebody else. Browsers
   * leave the origin out of a form where its page wants that, and programs always.
   */
  #foreign(origin: string | undefined): Step {
    const said = `This form was not sent by a page of ${this.#app.origin}`;
    if (origin === undefined) return text(403, `${said}: the request has no Origin header.`);
    if (origin !== 'null') {
      const cure = `Open the application at ${this.#app.origin}, or set appUrl to the address that you open.`;
      return text(403, `${said}, but by one of ${origin}. ${cure}`);
    }
    const remedy =
      'Give the page of the form Referrer-Policy: same-origin, and leave form-action out of its ' +
      "policy: Helmet's defaults do neither.";
    return text(403, `${said}, or that page hides it: Origin is null. ${remedy}`);
  }

  async #start({ call, cookies, login }: Asked): Promise<Step> {
    // Read as another kind it would have no number, and a sign-in by phone would become one by browser.
    if (call.header('content-type')?.startsWith(FORM_TYPE) !== true) {
      return text(415, `A sign-in starts with a form (${FORM_TYPE}).`);
    }
    const form = await call.form();
    // Whoever writes `nationalId` or `national-id` means a sign-in by phone.
    const numbers = [...form.keys()].filter((name) => /^national[\W_]*id/i.test(name));
    if (numbers.length > 1 || (numbers[0] ?? 'national_id') !== 'national_id') {
      const right = 'the field with the number is national_id, once, and by browser there is none';
      return text(400, `The form has ${numbers.join(' and ')}; ${right}.`);
    }
    const nationalId = form.get('national_id');
    cookies.locale = localeIn(form) ?? cookies.locale;
    const started = login.start(NEW, {
      locale: cookies.locale,
      // With it by phone, without it by browser.
      ...(nationalId === null ? {} : { nationalId }),
      returnAddress: new URL(`${this.path}/return`, this.#app).href,
      endUserAddress: call.address,
    });
    const attempt = await started.catch(asRefused);
    if (attempt instanceof MiftahError) {
      const end: SignInEnd = { outcome: 'refused', error: attempt };
      if (nationalId !== null) Object.defineProperty(end, 'nationalId', { value: nationalId });
      return { end, cookies: cookies.changed };
    }
    return goTo(attempt.authorizationUrl ?? this.#pageOf(attempt.id), cookies.changed);
  }

  #pageOf(id: string): string {
    return `${this.path}/wait?attempt=${encodeURIComponent(id)}`;
  }

  async #wait({ call, cookies, login }: Asked): Promise<Step> {
    const attempt = await login.attempt(cookies.id);
    if (attempt?.flow !== 'mfa') return goTo('/');
    const { waitingPage } = this.#options;
    const locale = localeIn(new URL(call.url, this.#app).searchParams) ?? cookies.locale;
    const waiting = { attempt, locale, path: this.path };
    if (waitingPage !== undefined) return html(waitingPage(waiting));
    const page = await pageThatWaits(waiting);
    return html(page.html, { 'content-security-policy': page.policy });
  }

  async #events({ call, cookies, login }: Asked): Promise<Step> {
    const attempt = await login.attempt(cookies.id);
    if (attempt === null) return noEvents();
    return { answer: relayEvents(attempt, { lastEventId: call.header('last-event-id') ?? null }) };
  }

  /** Each flow by its own address: another site can send a browser to that of the return. */
  async #finish({ call, cookies, login }: Asked, flow: Flow): Promise<Step> {
    const { deviceName } = this.#options;
    const started = await login.attempt(cookies.id);
    if (started?.flow !== flow) return { end: { outcome: 'dropped' }, cookies: [] };
    const result = await login.finish(cookies.id, {
      returned: call.url,
      ...(deviceName === undefined ? {} : { deviceName }),
      endUserAddress: call.address,
    });
    const { changed } = cookies;
    if (result.outcome === 'authenticated') return { token: result.token, cookies: changed };
    const { outcome } = result;
    if (outcome !== 'pending') return { end: { outcome }, cookies: changed };
    if (flow === 'mfa') return goTo(this.#pageOf(started.id));
    return { end: { outcome: 'dropped' }, cookies: changed };
  }

  async #cancel({ call, cookies, login }: Asked): Promise<Step> {
    const attempt = await login.attempt(cookies.id);
    await attempt?.cancel({ endUserAddress: call.address }).catch((error: unknown) => {
      // One that has ended by itself in the meantime is no less gone for the person.
      if (!(error instanceof MiftahError && OVER.has(error.status))) throw error;
    });
    cookies.delete(cookies.id);
    return { end: { outcome: 'cancelled' }, cookies: cookies.changed };
  }
}

/** What the service answers about an attempt that nobody can finish any more. */
const OVER: ReadonlySet<number> = new Set([404, 409, 410]);

const signOut: readonly [string, Handler] = [
  'POST /out',
  async ({ call, cookies, login }) => {
    for (const id of cookies.ids) {
      const attempt = await login.attempt(id);
      cookies.delete(id);
      // Whoever signs out is signed out at once: the session does not wait for the service.
      void attempt?.cancel({ endUserAddress: call.address }).catch(() => undefined);
    }
    return { out: true, cookies: cookies.changed };
  },
];

/** @throws what is no refusal */
function asRefused(error: unknown): MiftahError {
  if (error instanceof MiftahError) return error;
  throw error;
}

function localeIn(members: URLSearchParams): Locale | undefined {
  return (['ar', 'en'] as const).find((locale) => locale === members.get('locale'));
}

/** Where the application has no answer of its own for it. */
export function defaultEnd(end: SignInEnd): string {
  const code = end.outcome === 'refused' ? `&code=${encodeURIComponent(end.error.code)}` : '';
  return `/?sign_in=${end.outcome}${code}`;
}

function goTo(location: string, cookies: readonly string[] = []): Step {
  const step = respond(null, 303, { location });
  for (const cookie of cookies) step.answer.headers.append('set-cookie', cookie);
  return step;
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

function respond(body: string | null, status: number, headers: Readonly<Record<string, string>>) {
  return { answer: new Response(body, { status, headers: { ...LEAST_HEADERS, ...headers } }) };
}
