import type { FastifyCorsOptions } from '@fastify/cors';
import type { FastifyRequest } from 'fastify';
import { Refusal } from '../errors/refusal.ts';
import type { HttpContext } from './context.ts';

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
    if (!SENDERS_TO_THE_API.has(sender)) throw new Refusal('origin.refused');
  };
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
