import type { FastifyRequest } from 'fastify';
import { Refusal } from '../domain/errors/refusal.ts';
import type { HttpContext } from './context.ts';

const LOOPBACK_ORIGIN = /^https?:\/\/(localhost|127\.0\.0\.1|\[::1\])(:\d{1,5})?$/;

/** Whether pages of this origin may use the API: the listed ones, and where it is trusted, loopback. */
export function isListedOrigin({ settings, services }: HttpContext, origin: string): boolean {
  if (settings.corsOrigins.includes(origin)) return true;
  return services.rules.trustsLoopback && LOOPBACK_ORIGIN.test(origin);
}

/**
 * Who had the browser send this. It says so by Sec-Fetch-Site where the connection is safe or local,
 * and by Origin with all that is no plain GET; programs send neither. `person`: typed, or a bookmark.
 * `unnamed`: the Origin `null` alone, of a page that hides itself or of ours, which send no Referer.
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
 * For the API. A page can have its visitors' browsers send requests whose answers it may not read;
 * they are refused before they are counted, so that they use up nobody's limits.
 * @throws Refusal `origin.refused`
 */
export function refuseForeignPage(context: HttpContext) {
  return (request: FastifyRequest): void => {
    // A page of ours has its own check, or is where browsers come to from other sites.
    const { page, anyOrigin } = request.routeOptions.config;
    if (page === true || anyOrigin === true) return;
    const sender = senderOf(context, request);
    if (!SENDERS_TO_THE_API.has(sender)) throw new Refusal('origin.refused');
  };
}

/** Whether a browser asks if a page may send a request, and the page is none of those that may. */
export function isForeignPreflight(context: HttpContext, request: FastifyRequest): boolean {
  const asks = request.headers['access-control-request-method'] !== undefined;
  return (
    request.method === 'OPTIONS' && asks && !SENDERS_TO_THE_API.has(senderOf(context, request))
  );
}
