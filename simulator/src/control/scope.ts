import type { FastifyRequest } from 'fastify';
import { readScope, SCOPE_HEADER, sentenceOf } from '../engine/scenario.ts';
import { ControlError } from './errors.ts';

const TAKES = sentenceOf({ header: SCOPE_HEADER });

/** The scope of the caller. Only the header names it. @throws ControlError */
export function scopeOfCaller({ headers }: Pick<FastifyRequest, 'headers'>): string {
  const scope = readScope({ 'x-miftah-scope': headers['x-miftah-scope'] });
  if (scope === null) throw new ControlError('validation.failed', { takes: TAKES });
  return scope;
}
