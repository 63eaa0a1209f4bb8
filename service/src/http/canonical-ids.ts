import type { FastifyRequest } from 'fastify';
import { canonicalUuid } from '../domain/uuid.ts';

/** Every member that names an attempt or a token. `state` is an attempt's id, or the provider's. */
const NAMED_IDS = ['attempt_id', 'token_id', 'state', 'after'] as const;

/**
 * RFC 9562 section 4: a UUID is read in either case. It is made canonical before anything looks at
 * it: limits are counted, cookies named and time lines kept under the id.
 */
export function readIdsOfAddress({ params, query }: FastifyRequest): void {
  makeCanonical(params);
  makeCanonical(query);
}

export function readIdsOfBody({ body }: FastifyRequest): void {
  makeCanonical(body);
}

function makeCanonical(members: unknown): void {
  if (typeof members !== 'object' || members === null) return;
  for (const name of NAMED_IDS) {
    if (!Object.hasOwn(members, name)) continue;
    const value: unknown = Reflect.get(members, name);
    if (typeof value !== 'string') continue;
    const id = canonicalUuid(value);
    if (id !== null && id !== value) Reflect.set(members, name, id);
  }
}
