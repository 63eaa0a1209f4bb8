import type { IncomingMessage } from 'node:http';
import { readIds } from '@miftah/contract/uuid';
import type { FastifyReply, FastifyRequest, HookHandlerDoneFunction } from 'fastify';
import type { FastifyCorsOptions } from '@fastify/cors';
import { DEFAULT_SCOPE, parseScope } from '../attempt/scenario.ts';
import type { ErrorCode } from '../errors/catalogue.ts';
import { SCOPE_HEADER, SCOPE_IN_ADDRESS } from '../errors/expected-formats.ts';
import { sentFrom, sentTo, type Note } from '../errors/notes.ts';
import { type FieldFault, Refusal } from '../errors/refusal.ts';
import type { Urgency } from '../server/request-groups.ts';
import { BASE_PATH, type HttpContext } from './context.ts';

interface RequestTarget {
  /**
   * Host and port if the target is in absolute form, as sent to proxies; null in the usual form.
   */
  readonly authority: string | null;
  readonly path: string;
  readonly query: string;
}

const ABSOLUTE = /^[a-z][a-z0-9+.-]*:\/\/([^/?#]*)/i;

/** Scheme, host and port before the path of a target in absolute form; else ''. */
function originIn(url: string): string {
  return url.startsWith('/') ? '' : (ABSOLUTE.exec(url)?.[0] ?? '');
}

/** The parts of a request's target (RFC 9112 section 3.2). */
export function targetOf({ url }: Pick<FastifyRequest, 'url'>): RequestTarget {
  const [prefix = '', authority = null] = url.startsWith('/') ? [] : (ABSOLUTE.exec(url) ?? []);
  const [path = '', query = ''] = url.slice(prefix.length).split('?', 2);
  return { authority, path, query };
}

/**
 * Escapes each `%` of a path that can't be decoded. Otherwise the framework would refuse the path
 * itself; an id like `%ff` is then simply unknown.
 */
export function withWholeEscapes(url: string): string {
  const end = url.indexOf('?');
  const path = end === -1 ? url : url.slice(0, end);
  return isDecodable(path) ? url : path.replaceAll('%', '%25') + url.slice(path.length);
}

function isDecodable(path: string): boolean {
  if (!path.includes('%')) return true;
  try {
    decodeURIComponent(path);
    return true;
  } catch {
    return false;
  }
}

/** Every member that names an attempt or a token. `state` is an attempt's id, or the provider's. */
const NAMED_IDS = ['attempt_id', 'token_id', 'state', 'after'] as const;

/**
 * RFC 9562 section 4: a UUID is read in either case. It is made canonical before anything looks at
 * it: limits are counted, cookies named and time lines kept under the id.
 */
export function readIdsOfAddress({ params, query }: FastifyRequest): void {
  readIds(params, NAMED_IDS);
  readIds(query, NAMED_IDS);
}

export function readIdsOfBody({ body }: FastifyRequest): void {
  readIds(body, NAMED_IDS);
}

/** `{origin}/scopes/{scope}` in front of the base path. */
const SCOPED = new RegExp(`^/scopes/([^/?#]*)(${RegExp.escape(BASE_PATH)}(?:[/?].*)?)$`);

/**
 * The path without a scope in front of it, also where the base path does not follow. Live mode has no
 * scopes, so a path of one is as unknown as any other there.
 */
export function pathInScope({ scenarios }: HttpContext, path: string): string {
  return scenarios === null ? path : path.replace(/^\/scopes\/[^/]+(?=\/)/, '');
}

/** What is wrong with the scope in the address of a request. */
const faults = new WeakMap<IncomingMessage, FieldFault>();

/**
 * Moves the scope in the address of a request to its header: an application that can't send a header
 * has a base address of its own instead. What is wrong with the scope is kept for
 * `refuseScopeOfAddress`.
 * @returns the target of the request without the scope
 */
export function moveScopeToHeader(request: IncomingMessage): string {
  const { url = '', headers } = request;
  const origin = originIn(url);
  const [, named = '', target] = SCOPED.exec(url.slice(origin.length)) ?? [];
  if (target === undefined) return url;
  const inHeader = headers['x-miftah-scope'];
  if (parseScope(named) === null) faults.set(request, NO_SCOPE);
  else if (inHeader !== undefined && inHeader !== named) faults.set(request, TWO_SCOPES);
  else headers['x-miftah-scope'] = named;
  return origin + target;
}

/** @throws Refusal `validation.failed` */
export function refuseScopeOfAddress({ raw }: FastifyRequest): void {
  const found = faults.get(raw);
  if (found !== undefined) throw new Refusal('validation.failed', { faults: [found] });
}

/** Only names that are scopes: other callers can't make up keys. */
export function scopeOfRequest({ scenarios }: HttpContext, { headers }: FastifyRequest): string {
  const named = headers['x-miftah-scope'];
  if (scenarios === null || typeof named !== 'string') return DEFAULT_SCOPE;
  return parseScope(named) ?? DEFAULT_SCOPE;
}

const NO_SCOPE: FieldFault = { field: SCOPE_IN_ADDRESS, pointer: '', rule: 'format' };
const TWO_SCOPES: FieldFault = {
  field: SCOPE_HEADER,
  pointer: '',
  rule: 'format',
  expected: {
    en: 'it names another scope than the address; leave one of them out',
    ar: 'فهو يسمّي نطاقًا غير الذي في العنوان؛ اترك أحدهما',
  },
};

/** Checks a request before its body is read. @throws Refusal when the request is to be refused */
export type Check = (request: FastifyRequest, reply: FastifyReply) => void;

/**
 * Makes a check a hook of the framework. The hook uses the callback: one that returns a promise
 * would cost each request three more turns of the microtask queue.
 */
export function hookOf(check: Check) {
  return (request: FastifyRequest, reply: FastifyReply, done: HookHandlerDoneFunction): void => {
    check(request, reply);
    done();
  };
}

const HOST = 'host';
const LOOPBACK = ['localhost', '127.0.0.1', '[::1]'];

/**
 * Refuses unknown names in the Host header and in the request's target: another site can point its
 * own name to this machine (DNS rebinding), and its requests then have that name. Two Host headers
 * make a request malformed (RFC 9112 section 3.2), because servers differ in which one they use.
 */
export function hostFault(context: HttpContext, request: FastifyRequest): ErrorCode | null {
  if (hasSeveralHosts(request)) return 'request.malformed';
  const { authority } = targetOf(request);
  const isOurs =
    isAllowedHost(context, request.headers.host ?? '') &&
    (authority === null || isAllowedHost(context, authority));
  return isOurs ? null : 'request.misdirected';
}

/** As a host is written, and short: whoever sends the header may write anything. */
const HOST_AS_WRITTEN = /^[a-z\d.:[\]-]{1,100}$/i;

/** Names the host of a request that is not one of ours. No answer repeats it where people are real. */
export function hostNote(context: HttpContext, request: FastifyRequest): { readonly note?: Note } {
  if (context.settings.mode !== 'simulator') return {};
  const host = targetOf(request).authority ?? request.headers.host ?? '';
  return HOST_AS_WRITTEN.test(host) ? { note: sentTo(host) } : {};
}

/** @param host a name or an address, with a port or without */
export function isAllowedHost(context: HttpContext, host: string): boolean {
  const name = hostName(host);
  return name !== null && allowedNames(context).has(name);
}

/**
 * The parser keeps only the first of several, so the raw list is read: it has names and values
 * alternately.
 */
function hasSeveralHosts({ raw: { rawHeaders } }: FastifyRequest): boolean {
  let hosts = 0;
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index] ?? '';
    if (name.length === HOST.length && name.toLowerCase() === HOST) hosts += 1;
  }
  return hosts > 1;
}

const known = new WeakMap<HttpContext, ReadonlySet<string>>();

function allowedNames(context: HttpContext): ReadonlySet<string> {
  const names = known.get(context) ?? readAllowedNames(context);
  known.set(context, names);
  return names;
}

function readAllowedNames({ settings, services }: HttpContext): ReadonlySet<string> {
  const own = new URL(settings.publicUrl).hostname;
  const listed = settings.allowedHosts.map((host) => (host.includes(':') ? `[${host}]` : host));
  const local = services.rules.trustsLoopback ? LOOPBACK : [];
  return new Set([...local, own, ...listed]);
}

/** The name without its port, in lower case; null for an invalid Host header. */
function hostName(host: string): string | null {
  const [, name] = /^(\[[0-9a-f:.]+\]|[a-z0-9._-]+)(:\d{1,5})?$/i.exec(host) ?? [];
  return name === undefined ? null : name.toLowerCase();
}

/** What makes a row for whoever asks: a start, and what an OpenID client begins a sign-in with. */
const STARTS: ReadonlyMap<string, string> = new Map([
  [`${BASE_PATH}/start`, 'POST'],
  ['/openid/authorize', 'GET'],
  ['/openid/par', 'POST'],
]);
const WATCHES = new Set(['/livez', '/readyz', '/metrics']);
const RETRY_AFTER_SECONDS = 1;

const late = new WeakSet<IncomingMessage>();

export function urgencyOf({ method, url = '' }: IncomingMessage): Urgency {
  const path = pathOf(url);
  if (STARTS.get(path) === method) return 'start';
  return method !== 'POST' && WATCHES.has(path) ? 'watch' : 'usual';
}

function pathOf(url: string): string {
  const end = url.indexOf('?');
  return end === -1 ? url : url.slice(0, end);
}

/** The request has waited too long to be begun. */
export function markLate(request: IncomingMessage): void {
  late.add(request);
}

/**
 * Refuses a start while there is too much to do, before its body is read and before anything was
 * done for it. Rate limits come first, so that a client that is over its quota is told so, and does
 * not take what is admitted in any case.
 */
export function refuseOverload({ admission, clock }: HttpContext) {
  return hookOf(({ raw }) => {
    const limit = admission.limitOf(late.has(raw), clock.now());
    if (limit === null) return;
    throw new Refusal('server.overloaded', { retryAfterSeconds: RETRY_AFTER_SECONDS, limit });
  });
}

const LOOPBACK_ORIGIN = /^https?:\/\/(localhost|127\.0\.0\.1|\[::1\])(:\d{1,5})?$/;

/** Whether pages of this origin may use the API: listed origins, and loopback ones if trusted. */
function isListedOrigin({ settings, services }: HttpContext, origin: string): boolean {
  if (settings.corsOrigins.includes(origin)) return true;
  return services.rules.trustsLoopback && LOOPBACK_ORIGIN.test(origin);
}

/**
 * Where a request comes from. A browser tells it by Sec-Fetch-Site if the connection is secure or
 * local, and by Origin with every request but a plain GET; other programs send neither. `person`: a
 * typed address or a bookmark. `unnamed`: only the Origin `null`, sent for a page that hides its
 * origin, and for our own pages, which send no Referer.
 */
export type Sender = 'own' | 'listed' | 'foreign' | 'unnamed' | 'person' | 'no browser';

export function senderOf(context: HttpContext, { headers }: FastifyRequest): Sender {
  const { origin, host = '', 'sec-fetch-site': site } = headers;
  const own = [context.settings.publicUrl, `http://${host}`, `https://${host}`];
  const isOwn = site === undefined ? own.includes(origin ?? '') : site === 'same-origin';
  if (isOwn) return 'own';
  if (origin !== undefined && isListedOrigin(context, origin)) return 'listed';
  if (site !== undefined) return site === 'none' ? 'person' : 'foreign';
  if (origin === undefined) return 'no browser';
  return origin === 'null' ? 'unnamed' : 'foreign';
}

const SENDERS_TO_THE_API: ReadonlySet<Sender> = new Set(['own', 'listed', 'person', 'no browser']);

/**
 * For the API. Any web page can make its visitors' browsers send requests here, although it may not
 * read the answers. Such requests are refused before they are counted, so that they do not use up
 * the visitors' rate limits.
 * @throws Refusal `origin.refused`
 */
export function refuseForeignPage(context: HttpContext) {
  return (request: FastifyRequest): void => {
    // Our pages have their own check (forms.ts), or are opened from other sites on purpose.
    const { page, anyOrigin } = request.routeOptions.config;
    if (page === true || anyOrigin === true) return;
    const sender = senderOf(context, request);
    if (!SENDERS_TO_THE_API.has(sender)) throw new Refusal('origin.refused', originNote(request));
  };
}

/** As a browser writes an origin, and short: whoever sends the header may write anything. */
const ORIGIN = /^[a-z][a-z\d+.-]{0,30}:\/\/[a-z\d.:[\]-]{1,100}$/;

function originNote({ headers: { origin = '' } }: FastifyRequest) {
  return ORIGIN.test(origin) ? { note: sentFrom(origin) } : {};
}

/** Whether this is the preflight request for a page that may not use the API. */
export function isForeignPreflight(context: HttpContext, request: FastifyRequest): boolean {
  const asks = request.headers['access-control-request-method'] !== undefined;
  return (
    request.method === 'OPTIONS' && asks && !SENDERS_TO_THE_API.has(senderOf(context, request))
  );
}

const PREFLIGHT_SECONDS = 600;

/** Libraries for tracing add them to each request of a page: W3C Trace Context, Baggage, Sentry. */
const TRACING_HEADERS = ['baggage', 'sentry-trace', 'traceparent', 'tracestate'];

/**
 * Denies by default. Allows the listed origins, and every page on this machine if the rules trust
 * it.
 */
export function corsOptions(context: HttpContext): FastifyCorsOptions {
  return {
    origin: (origin, decide) =>
      decide(null, origin !== undefined && isListedOrigin(context, origin)),
    methods: ['GET', 'POST', 'DELETE'],
    allowedHeaders: [
      'Authorization',
      'Content-Type',
      'Idempotency-Key',
      'Last-Event-ID',
      'Prefer',
      'X-Provider-Attempt-Token',
      ...TRACING_HEADERS,
      ...(context.scenarios === null ? [] : ['X-Miftah-Scope', 'X-Simulate']),
    ],
    exposedHeaders: [
      'RateLimit',
      'RateLimit-Policy',
      'Retry-After',
      'X-Auth-Mode',
      'X-RateLimit-Limit',
      'X-RateLimit-Remaining',
      'X-Request-Id',
    ],
    maxAge: PREFLIGHT_SECONDS,
    // Otherwise the plugin itself would refuse an OPTIONS request that is no preflight, with an
    // error that is not in our catalogue.
    strictPreflight: false,
  };
}
