import type { FastifyRequest } from 'fastify';

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
