/** The sessions of the application, and what each of its answers needs, with `node:http` alone. */
import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import process from 'node:process';

/** @typedef {import('node:http').IncomingMessage} Incoming */
/** @typedef {import('node:http').ServerResponse} Outgoing */
/** @typedef {{ request: Incoming, locale: 'ar' | 'en', query: URLSearchParams }} Context */
/** @typedef {{ status?: number, type: string, text: string }} Answer */
/** @typedef {ReturnType<typeof import('@miftah/client/express').signInForExpress<Incoming, Outgoing>>} Middleware */

const MOST_ENTRIES = 10_000;

const HEADERS = {
  'cache-control': 'no-store',
  // There is no form-action, because the form that signs in is redirected to the service.
  'content-security-policy':
    "default-src 'none'; style-src 'self'; script-src 'self'; connect-src 'self'; img-src data:; " +
    "base-uri 'none'; frame-ancestors 'none'",
  // With `no-referrer` browsers would not say that a form comes from here.
  'referrer-policy': 'same-origin',
  'x-content-type-options': 'nosniff',
};

/**
 * Who is signed in, in the memory of one process. When there are too many, the oldest is dropped.
 * @template Value
 */
export class Sessions {
  /** @type {Map<string, Value>} */
  #values = new Map();
  #name;
  #attributes;

  /** @param {string} appUrl */
  constructor(appUrl) {
    const isHttps = new URL(appUrl).protocol === 'https:';
    // With this prefix no other host of the same domain can set it. Browsers want https for it.
    this.#name = isHttps ? '__Host-session' : 'session';
    this.#attributes = `Path=/; HttpOnly; SameSite=Lax${isHttps ? '; Secure' : ''}`;
  }

  /** @param {Incoming} request */
  of(request) {
    return this.#values.get(cookieOf(request, this.#name));
  }

  /**
   * With a new id, so that one from before the sign-in opens nothing.
   * @param {Value} value @param {Outgoing} response
   */
  begin(value, response) {
    const [oldest] = this.#values.keys();
    if (oldest !== undefined && this.#values.size >= MOST_ENTRIES) this.#values.delete(oldest);
    const id = randomUUID();
    this.#values.set(id, value);
    response.appendHeader('set-cookie', `${this.#name}=${id}; ${this.#attributes}`);
  }

  /** @param {Incoming} request */
  end(request) {
    const id = cookieOf(request, this.#name);
    const value = this.#values.get(id);
    this.#values.delete(id);
    return value;
  }
}

/**
 * @param {string} appUrl where browsers reach this application
 * @param {Record<string, (context: Context) => Answer>} pages by path
 * @param {Middleware} signIn
 */
export function serve(appUrl, pages, signIn) {
  const { origin, protocol, port } = new URL(appUrl);
  const server = createServer((request, response) => {
    response.setHeaders(new Map(Object.entries(HEADERS)));
    void signIn(request, response, (error) => {
      if (error === undefined) return answer(pages, request, response);
      console.error(error);
      return send({ status: 500, type: 'text/plain', text: 'This did not work.' }, response);
    });
  });
  server.once('error', ({ message }) => {
    console.error(`${message}. Stop that program, or set APP_URL to an address with another port.`);
    process.exitCode = 1;
  });
  const ownPort = port || '80';
  const listenPort = process.env['PORT'] ?? ownPort;
  server.listen(Number(listenPort), '127.0.0.1');
  const isDirect = protocol === 'http:' && listenPort === ownPort;
  const behind = isDirect ? '' : `, which has to lead to 127.0.0.1:${listenPort} (PORT)`;
  server.once('listening', () => console.log(`The application (APP_URL): ${origin}/${behind}`));
}

/** @param {Record<string, (context: Context) => Answer>} pages @param {Incoming} request @param {Outgoing} response */
function answer(pages, request, response) {
  const { pathname, searchParams: query } = addressOf(request);
  const page = request.method === 'GET' ? pages[pathname] : undefined;
  if (page === undefined) {
    return send({ status: 404, type: 'text/plain', text: 'Not found' }, response);
  }
  const locale = localeOf(request);
  if (query.has('lang')) {
    response.appendHeader('set-cookie', `lang=${locale}; Path=/; HttpOnly; SameSite=Lax`);
  }
  return send(page({ request, locale, query }), response);
}

/** @param {Answer} answer @param {Outgoing} response */
export function send({ status = 200, type, text }, response) {
  response.writeHead(status, { 'content-type': `${type}; charset=utf-8` }).end(text);
}

/** @param {string} location @param {Outgoing} response */
export function redirect(location, response) {
  response.writeHead(303, { location }).end();
}

/** Some paths are no address, such as `//`: they are the one that nothing is at. @param {Incoming} request */
function addressOf({ url = '' }) {
  const base = 'http://localhost';
  return URL.canParse(url, base) ? new URL(url, base) : new URL('/404', base);
}

/** @param {Incoming} request */
export function localeOf(request) {
  const { searchParams } = addressOf(request);
  return (searchParams.get('lang') ?? cookieOf(request, 'lang')) === 'en' ? 'en' : 'ar';
}

/** @param {Incoming} request @param {string} name */
function cookieOf({ headers }, name) {
  const cookies = headers.cookie?.split('; ') ?? [];
  return cookies.find((one) => one.startsWith(`${name}=`))?.slice(name.length + 1) ?? '';
}
