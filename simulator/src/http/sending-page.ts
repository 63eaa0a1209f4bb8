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

/**
 * Whether a form comes from our own page, as far as the browser tells: by Sec-Fetch-Site if the
 * connection is secure or local, otherwise by Origin. Origin is `null` for pages that send no
 * Referer, such as ours. Other programs send neither header.
 */
export function isFromOwnPage({ headers }: FastifyRequest): boolean {
  const { origin = 'null', host = '', 'sec-fetch-site': site } = headers;
  if (site !== undefined) return site === 'same-origin';
  return ['null', `http://${host}`, `https://${host}`].includes(origin);
}
