import type { FastifyRequest } from 'fastify';
import { Refusal } from '../../errors/refusal.ts';
import type { Ms } from '../../values/time.ts';
import { authenticateBearer } from '../../account/use-api-token.flow.ts';
import type { TokenWithUser } from '../../store/ports/store.port.ts';
import type { HttpContext } from '../context.ts';

/** RFC 6750 section 2.1; the scheme's name is case-insensitive (RFC 9110 section 11.1). */
export function credentialOf({ headers }: FastifyRequest): string | null {
  const [, credential] = /^bearer +(\S+) *$/i.exec(headers.authorization ?? '') ?? [];
  return credential ?? null;
}

/**
 * RFC 6750 section 3.1: a request that sends a token in more than one way is invalid. A token in
 * the address is always refused, because logs and browser histories store addresses.
 */
function refuseTokenInAddress({ query }: FastifyRequest): void {
  const isThere = typeof query === 'object' && query !== null && 'access_token' in query;
  if (isThere) throw new Refusal('token.in_address');
}

/** @throws Refusal `token.missing`, `token.in_address` or `token.invalid` */
export async function requireBearer(
  { services }: HttpContext,
  request: FastifyRequest,
  now: Ms,
): Promise<TokenWithUser> {
  refuseTokenInAddress(request);
  const text = credentialOf(request);
  if (text === null) throw new Refusal('token.missing');
  return authenticateBearer(services, text, now);
}
