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

/** A person signs in to a few things at once; what is more was piled up by somebody else. */
const MOST_COOKIES = 8;

/**
 * Takes the oldest ones away. A request whose cookies are longer than a server reads is turned away
 * before anybody looks at it: with enough of them a browser could be kept from coming back.
 */
export function thinOutCookies({ headers }: FastifyRequest, reply: FastifyReply): void {
  const names = (headers.cookie ?? '').match(/__Host-miftah_[0-9a-f-]{36}(?==)/g) ?? [];
  // An attempt's id begins with its time.
  const oldest = names.toSorted().slice(0, Math.max(0, names.length - MOST_COOKIES));
  for (const name of oldest) {
    reply.header('set-cookie', `${name}=; Path=/; Max-Age=0; Secure; HttpOnly; SameSite=Lax`);
  }
}

/** Lax: the provider's page is another site, and the browser has to bring it back from there. */
export function setBrowserCookie(reply: FastifyReply, attemptId: string, secret: Secret): void {
  const attributes = `Path=/; Max-Age=${MAX_AGE_SECONDS}; Secure; HttpOnly; SameSite=Lax`;
  reply.header('set-cookie', `${cookieName(attemptId)}=${secret.reveal()}; ${attributes}`);
}
