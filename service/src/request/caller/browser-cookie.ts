import type { FastifyReply, FastifyRequest } from 'fastify';
import { expiryOf, type AttemptRecord } from '../../attempt/attempt.ts';
import { isBrowserSecret } from '../../attempt/browser/browser-secret.ts';
import { MINUTE_MS, SECOND_MS, type Ms } from '../../values/time.ts';
import type { Secret } from '../../values/secret.ts';

/**
 * How long the cookie stays valid after its attempt expired: a person who returns too late can
 * still be sent to the application instead of a page that does not know the application.
 */
const WAY_BACK_MS = 5 * MINUTE_MS;

/**
 * RFC 6265bis section 4.1.3.2: browsers let no other host and no path set a cookie with `__Host-`.
 */
function cookieName(attemptId: string): string {
  return `__Host-miftah_${attemptId}`;
}

/** This browser's secret for an attempt; null if the cookie is sent twice or is not one of ours. */
export function browserCookie({ headers }: FastifyRequest, attemptId: string): string | null {
  const values = cookieValues(headers.cookie ?? '', cookieName(attemptId));
  const [value = ''] = values;
  return values.length === 1 && isBrowserSecret(value) ? value : null;
}

/**
 * The values of a name in a Cookie header, in the form of RFC 6265 section 4.2.1: pairs separated
 * by `; `. Only that one space is removed: browsers enforce `__Host-` for names that begin with
 * exactly these bytes, so anybody could have set a name that differs in a single byte.
 * @param header one character per byte, as Node gives it; several headers joined by `; `
 */
export function cookieValues(header: string, name: string): readonly string[] {
  const prefix = `${name}=`;
  return header
    .split(';')
    .map((pair, index) => (index > 0 && pair.startsWith(' ') ? pair.slice(1) : pair))
    .filter((pair) => pair.startsWith(prefix))
    .map((pair) => pair.slice(prefix.length));
}

/**
 * SameSite=Lax, because the browser has to send the cookie when the provider's site returns it
 * here.
 */
export function setBrowserCookie(
  reply: FastifyReply,
  record: AttemptRecord,
  secret: Secret,
  now: Ms,
): void {
  const maxAge = Math.ceil((expiryOf(record) - now + WAY_BACK_MS) / SECOND_MS);
  const attributes = `Path=/; Max-Age=${maxAge}; Secure; HttpOnly; SameSite=Lax`;
  reply.header('set-cookie', `${cookieName(record.attemptId)}=${secret.reveal()}; ${attributes}`);
}
