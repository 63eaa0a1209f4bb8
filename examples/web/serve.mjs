/** Requests of `node:http` for the handlers of app.mjs, and what each answer of theirs needs. */
import { createServer } from 'node:http';
import process from 'node:process';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';

/**
 * What a handler is given. `session` is '' without a cookie, and `setSession('')` ends it;
 * `returned` is the path and query of the request.
 * @typedef {object} Context
 * @property {string} session
 * @property {(id: string) => void} setSession
 * @property {'ar' | 'en'} locale
 * @property {URLSearchParams} query
 * @property {URLSearchParams} form
 * @property {string} returned
 * @property {string | undefined} address
 * @property {string | null} lastEventId
 */
/** @typedef {(context: Context) => Promise<Response>} Handler */
/** @typedef {import('node:http').IncomingMessage} Incoming */
/** @typedef {import('node:http').ServerResponse} Outgoing */

const MOST_FORM_CHARACTERS = 1_000;
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
 * Sessions in the memory of one process. When there are too many, the oldest is dropped.
 * @template Value
 * @extends {Map<string, Value>}
 */
export class BoundedMap extends Map {
  /** @override @param {string} key @param {Value} value */
  set(key, value) {
    const [oldest] = this.keys();
    if (oldest !== undefined && this.size >= MOST_ENTRIES) this.delete(oldest);
    return super.set(key, value);
  }
}

/** @param {string} location */
export function redirect(location) {
  return new Response(null, { status: 303, headers: { location } });
}

/**
 * @param {string} appUrl where browsers reach this application
 * @param {Record<string, Handler>} routes by method and path
 * @param {(locale: 'ar' | 'en', error: unknown) => Response} errorPage
 */
export function serve(appUrl, routes, errorPage) {
  const { origin, protocol, port } = new URL(appUrl);
  const isHttps = protocol === 'https:';
  // With this prefix no other host of the same domain can set it. Browsers want https for it.
  const name = isHttps ? '__Host-session' : 'session';
  const attributes = `Path=/; HttpOnly; SameSite=Lax${isHttps ? '; Secure' : ''}`;

  /** @param {Incoming} request @param {Outgoing} response */
  async function answer(request, response) {
    const { method, url = '', headers } = request;
    const [path = '', search] = url.split('?');
    const query = new URLSearchParams(search);
    const handler = routes[`${method} ${path}`];
    if (handler === undefined) return new Response('Not found', { status: 404 });
    // A page of another site could post its form with this browser's cookie.
    if (method === 'POST' && headers.origin !== origin) {
      return new Response('Forbidden', { status: 403 });
    }
    const chosen = query.get('lang') ?? cookieOf(request, 'lang');
    const locale = chosen === 'en' ? 'en' : 'ar';
    if (query.has('lang')) response.appendHeader('set-cookie', `lang=${locale}; ${attributes}`);
    try {
      return await handler({
        session: cookieOf(request, name),
        setSession: (id) =>
          void response.appendHeader('set-cookie', `${name}=${id}; ${attributes}`),
        locale,
        query,
        form: await formOf(request),
        returned: url,
        address: request.socket.remoteAddress,
        lastEventId: request.headersDistinct['last-event-id']?.[0] ?? null,
      });
    } catch (error) {
      console.error(error);
      return errorPage(locale, error);
    }
  }

  const server = createServer((request, response) => {
    answer(request, response)
      .then((answered) => send(answered, response))
      .catch(() => response.destroy());
  });
  server.listen(Number(process.env['PORT'] ?? (port || 80)), '127.0.0.1');
  server.once('listening', () => console.log(`The application: ${origin}/`));
}

/** @param {Response} answered @param {Outgoing} response */
async function send({ status, headers, body }, response) {
  response.setHeaders(new Map([...Object.entries(HEADERS), ...headers])).writeHead(status);
  if (body === null) return response.end();
  /** @type {any} Its types in Node and in browsers differ. */
  const bytes = body;
  // Unlike `pipe` it ends the stream of events when the page is gone.
  return pipeline(Readable.fromWeb(bytes), response);
}

/** @param {Incoming} request @param {string} name */
function cookieOf({ headers }, name) {
  const cookies = headers.cookie?.split('; ') ?? [];
  return cookies.find((one) => one.startsWith(`${name}=`))?.slice(name.length + 1) ?? '';
}

/** @param {Incoming} request */
async function formOf(request) {
  let text = '';
  for await (const chunk of request.setEncoding('utf8')) {
    text += chunk;
    if (text.length > MOST_FORM_CHARACTERS) throw new Error('The form is too long.');
  }
  return new URLSearchParams(text);
}
