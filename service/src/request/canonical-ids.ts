import { readIds } from '@miftah/contract/uuid';
import type { FastifyRequest } from 'fastify';

/** Every member that names an attempt or a token. `state` is an attempt's id, or the provider's. */
const NAMED_IDS = ['attempt_id', 'token_id', 'state', 'after'] as const;

/**
 * RFC 9562 section 4: a UUID is read in either case. It is made canonical before anything looks at
 * it: limits are counted, cookies named and time lines kept under the id.
 */
export function readIdsOfAddress({ params, query }: FastifyRequest): void {
  readIds(params, NAMED_IDS);
  readIds(query, NAMED_IDS);
}

export function readIdsOfBody({ body }: FastifyRequest): void {
  readIds(body, NAMED_IDS);
}
