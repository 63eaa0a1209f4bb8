import { readIds } from '@miftah/contract/uuid';
import type { FastifyInstance } from 'fastify';

/** Every member of an address that names an attempt or a prompt. The id of a person is no UUID. */
const NAMED_IDS = ['id', 'attempt_id', 'request_id', 'before'] as const;

/** RFC 9562 section 4: a UUID is read in either case. */
export function readIdsOfAddress(scope: FastifyInstance): void {
  scope.addHook('onRequest', ({ params, query }, _reply, done) => {
    readIds(params, NAMED_IDS);
    readIds(query, NAMED_IDS);
    done();
  });
}
