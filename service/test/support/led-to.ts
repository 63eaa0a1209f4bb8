/**
 * Where an answer leads the browser: by a redirect, or by a page that redirects.
 * @param headers with names in lower case
 * @returns null for an answer that leads nowhere
 */
export function ledTo(headers: {
  readonly location?: unknown;
  readonly refresh?: unknown;
}): string | null {
  const { location, refresh } = headers;
  if (typeof location === 'string') return location;
  const [, address = null] = /^0;url=(.+)$/.exec(typeof refresh === 'string' ? refresh : '') ?? [];
  return address;
}
