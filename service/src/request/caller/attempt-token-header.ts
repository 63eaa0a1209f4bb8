import type { FastifyRequest } from 'fastify';
import { Refusal } from '../../errors/refusal.ts';

/**
 * Checked before any look-up, so that the answer is the same for every id.
 * @throws Refusal `attempt.token_missing`
 */
export function attemptTokenOf({ headers }: FastifyRequest): string {
  const token = headers['x-provider-attempt-token'];
  if (typeof token !== 'string' || token === '') throw new Refusal('attempt.token_missing');
  return token;
}
