import type { FastifyReply, FastifyRequest } from 'fastify';
import { expiryOf, type AttemptRecord } from '../domain/attempt.ts';
import { isBrowserSecret } from '../domain/browser-secret.ts';
import { MINUTE_MS, SECOND_MS, type Ms } from '../domain/time.ts';
import type { Secret } from '../domain/secret.ts';

/**
 * So long after its attempt's expiry a browser is still known: a person who comes back too late is
 * led to the application and not left on a page that can't know where they belong.
 */
const WAY_BACK_MS = 5 * MINUTE_MS;

/** RFC 6265bis section 4.1.3.2: `__Host-` keeps other hosts and paths from setting it. */
function cookieName(attemptId: string): string {
  return `__Host-miftah_${attemptId}`;
}

/** The secret of this browser for an attempt. One that comes twice, or is none of ours, says nothing. */
export function browserCookie({ headers }: FastifyRequest, attemptId: string): string | null {
  const values = cookieValues(headers.cookie ?? '', cookieName(attemptId));
  const [value = ''] = values;
  return values.length === 1 && isBrowserSecret(value) ? value : null;
}

/**
 * The values of a name in a Cookie header, in RFC 6265's form (section 4.2.1): pairs with `; `
 * between them. Nothing else is taken off: a browser enforces `__Host-` for names that begin with
 * exactly these bytes, so a name that differs from it by a single byte was set by anybody.
 * @param header one character for each byte, as Node gives it; several headers joined by `; `
 */
export function cookieValues(header: string, name: string): readonly string[] {
  const prefix = `${name}=`;
  return header
    .split(';')
    .map((pair, index) => (index > 0 && pair.startsWith(' ') ? pair.slice(1) : pair))
    .filter((pair) => pair.startsWith(prefix))
    .map((pair) => pair.slice(prefix.length));
}

/** Lax: the provider's page is another site, and the browser has to bring it back from there. */
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
