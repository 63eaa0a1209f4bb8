import type { Exchange } from './entry.ts';

/**
 * Where an answer leads the browser: by a redirect, or by a page that redirects. Null for an answer
 * that leads nowhere.
 */
export function addressIn({ response: { headers } }: Exchange): string | null {
  return headers['location'] ?? /^0;url=(.+)$/.exec(headers['refresh'] ?? '')?.[1] ?? null;
}
