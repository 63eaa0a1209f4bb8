import { isIP } from 'node:net';
import type { FastifyRequest } from 'fastify';
import type { Client } from '../domain/client.ts';
import { credentialOf } from './bearer.ts';
import type { HttpContext } from './context.ts';

/** Who a request is from. Resolved once, so that everything it leads to has the same answer. */
export interface Caller {
  /** Whose key it carries; null without one that is known. */
  readonly client: Client | null;
  /** The back end that is believed about where its people are; null for everybody else. */
  readonly backEnd: string | null;
  /** Where the person is; null when a back end does not say. */
  readonly endUserAddress: string | null;
}

const END_USER_ADDRESS = 'x-end-user-address';

const resolved = new WeakMap<FastifyRequest, Caller>();

export function callerOf(context: HttpContext, request: FastifyRequest): Caller {
  const known = resolved.get(request) ?? resolve(context, request);
  resolved.set(request, known);
  return known;
}

/** Only who keeps a key to themselves is believed: a public client's is in everybody's hands. */
function resolve({ services }: HttpContext, request: FastifyRequest): Caller {
  const client = services.clients.ofKey(credentialOf(request) ?? '');
  const isBelieved = services.rules.believesBackEnds && client?.type === 'confidential';
  return {
    client,
    backEnd: isBelieved ? client.id : null,
    endUserAddress: isBelieved ? namedAddress(request) : request.ip,
  };
}

function namedAddress({ headers }: FastifyRequest): string | null {
  const named = headers[END_USER_ADDRESS];
  return typeof named === 'string' && isIP(named) !== 0 ? named : null;
}
