import type { FastifyRequest } from 'fastify';

/**
 * Whether a form was sent from our own page, as far as the browser says: by Sec-Fetch-Site where the
 * connection is safe or local, else by Origin, which is `null` from pages that send no Referer, as
 * ours. Programs send neither.
 */
export function isFromOwnPage({ headers }: FastifyRequest): boolean {
  const { origin = 'null', host = '', 'sec-fetch-site': site } = headers;
  if (site !== undefined) return site === 'same-origin';
  return ['null', `http://${host}`, `https://${host}`].includes(origin);
}
