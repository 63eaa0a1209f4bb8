import type { FastifyRequest } from 'fastify';
import { Refusal } from '../domain/errors/refusal.ts';
import type { Ms } from '../domain/time.ts';
import { authenticateBearer } from '../flow/use-api-token.ts';
import type { TokenWithUser } from '../ports/store.ts';
import type { HttpContext } from './context.ts';

/** RFC 6750 section 2.1; the scheme's name is case-insensitive (RFC 9110 section 11.1). */
export function credentialOf({ headers }: FastifyRequest): string | null {
  const [, credential] = /^bearer +(\S+) *$/i.exec(headers.authorization ?? '') ?? [];
  return credential ?? null;
}

/** @throws Refusal `token.missing` or `token.invalid` */
export async function requireBearer(
  { tools }: HttpContext,
  request: FastifyRequest,
  now: Ms,
): Promise<TokenWithUser> {
  const text = credentialOf(request);
  if (text === null) throw new Refusal('token.missing');
  return authenticateBearer(tools, text, now);
}
