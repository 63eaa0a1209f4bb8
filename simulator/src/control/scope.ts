import type { FastifyRequest } from 'fastify';
import { readScope, SCOPE_HEADER } from '../engine/scenario.ts';
import { ControlError } from './errors.ts';

const TAKES = `${SCOPE_HEADER} is 1 to 64 of the characters a-z, 0-9 and hyphen.`;

/** The scope of the caller. Only the header names it. @throws ControlError */
export function scopeOfCaller({ headers }: Pick<FastifyRequest, 'headers'>): string {
  const scope = readScope({ 'x-miftah-scope': headers['x-miftah-scope'] });
  if (scope === null) throw new ControlError('validation.failed', TAKES);
  return scope;
}
