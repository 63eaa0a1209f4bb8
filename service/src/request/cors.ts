import type { FastifyCorsOptions } from '@fastify/cors';
import type { HttpContext } from './context.ts';
import { isListedOrigin } from './answer/foreign-page.ts';

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
