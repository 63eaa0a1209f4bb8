import type { FastifyCorsOptions } from '@fastify/cors';
import type { HttpContext } from './context.ts';

const LOOPBACK_ORIGIN = /^https?:\/\/(localhost|127\.0\.0\.1|\[::1\])(:\d{1,5})?$/;
const PREFLIGHT_SECONDS = 600;

/** Deny by default: the listed origins, and any page on this machine where the rules trust it. */
export function corsOptions({ settings, tools }: HttpContext): FastifyCorsOptions {
  const listed = new Set(settings.corsOrigins);
  const mayRead = (origin: string) =>
    listed.has(origin) || (tools.rules.trustsLoopback && LOOPBACK_ORIGIN.test(origin));
  return {
    origin: (origin, decide) => decide(null, origin !== undefined && mayRead(origin)),
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
