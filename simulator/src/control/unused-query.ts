import type { FastifyInstance, FastifyRequest } from 'fastify';
import { ControlError } from './errors.ts';

const TAKES = 'The query has to be empty: this operation takes no query.';

/**
 * Refuses a query of an operation that declares none, as the others refuse unknown members of
 * theirs. Without it a misspelled address would be answered as if the query had been used.
 */
export function refuseUnusedQuery(scope: FastifyInstance): void {
  scope.addHook('preValidation', (request, _reply, done) => {
    if (hasUnusedQuery(request)) throw new ControlError('validation.failed', { takes: TAKES });
    done();
  });
}

function hasUnusedQuery({ is404, query, routeOptions }: FastifyRequest): boolean {
  if (is404 || routeOptions.schema?.querystring !== undefined) return false;
  return Object.keys(query ?? {}).length > 0;
}
