import type { FastifyReply, FastifyRequest } from 'fastify';
import { isBrowserSecret } from '../domain/browser-secret.ts';
import { MINUTE_MS, SECOND_MS } from '../domain/time.ts';
import type { Secret } from '../domain/secret.ts';

/** As long as an attempt lives, and a little for the way back. */
const MAX_AGE_SECONDS = (10 * MINUTE_MS) / SECOND_MS;

/** RFC 6265bis section 4.1.3.2: `__Host-` keeps other hosts and paths from setting it. */
function cookieName(attemptId: string): string {
  return `__Host-miftah_${attemptId}`;
}

/** The secret of this browser for an attempt. One that comes twice, or is none of ours, says nothing. */
export function browserCookie({ headers }: FastifyRequest, attemptId: string): string | null {
  const name = `${cookieName(attemptId)}=`;
  const pairs = (headers.cookie ?? '').split(';').map((pair) => pair.trim());
  const [found, ...others] = pairs.filter((pair) => pair.startsWith(name));
  const value = found?.slice(name.length) ?? '';
  return others.length === 0 && isBrowserSecret(value) ? value : null;
}

/** Lax: the provider's page is another site, and the browser has to bring it back from there. */
export function setBrowserCookie(reply: FastifyReply, attemptId: string, secret: Secret): void {
  const attributes = `Path=/; Max-Age=${MAX_AGE_SECONDS}; Secure; HttpOnly; SameSite=Lax`;
  reply.header('set-cookie', `${cookieName(attemptId)}=${secret.reveal()}; ${attributes}`);
}
