import type { FastifyCorsOptions } from '@fastify/cors';
import type { HttpContext } from './context.ts';
import { isListedOrigin } from './foreign-page.ts';

const PREFLIGHT_SECONDS = 600;

/** Deny by default: the listed origins, and any page on this machine where the rules trust it. */
export function corsOptions(context: HttpContext): FastifyCorsOptions {
  return {
    origin: (origin, decide) =>
      decide(null, origin !== undefined && isListedOrigin(context, origin)),
    methods: ['GET', 'POST', 'DELETE'],
    allowedHeaders: [
      'Authorization',
      'Content-Type',
      'Idempotency-Key',
      'X-Provider-Attempt-Token',
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
    // An OPTIONS that asks for nothing: the plugin's own refusal is not one of the catalogue.
    strictPreflight: false,
  };
}
