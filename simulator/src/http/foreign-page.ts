import type { FastifyRequest } from 'fastify';

const FOREIGN_SITES: ReadonlySet<string> = new Set(['cross-site', 'same-site']);

/**
 * Whether a page of another origin had the browser send the request. Browsers send these headers and
 * pages can't change them; other programs send neither.
 * @param ownOrigin the public one, where it can differ from the Host header
 */
export function isFromForeignPage(
  { headers }: Pick<FastifyRequest, 'headers'>,
  ownOrigin: string | null = null,
): boolean {
  if (FOREIGN_SITES.has(String(headers['sec-fetch-site']))) return true;
  const { origin, host } = headers;
  if (origin === undefined || origin === ownOrigin) return false;
  return !URL.canParse(origin) || new URL(origin).host !== host;
}
