import { isIP } from 'node:net';
import type { FastifyRequest } from 'fastify';
import type { Client } from '../domain/client.ts';
import { clientOfBasic, triesBasic } from './basic.ts';
import { credentialOf } from './bearer.ts';
import type { HttpContext } from './context.ts';

/** Who sent a request. Determined once per request, so that all uses agree. */
export interface Caller {
  /** The client whose key it carries; null without a known key. */
  readonly client: Client | null;
  /**
   * The back end whose statement of end users' addresses is trusted; null for all other callers.
   */
  readonly backEnd: string | null;
  /** The end user's address; null when a back end does not state it. */
  readonly endUserAddress: string | null;
}

const END_USER_ADDRESS = 'x-end-user-address';

const resolved = new WeakMap<FastifyRequest, Caller>();

export function callerOf(context: HttpContext, request: FastifyRequest): Caller {
  const known = resolved.get(request) ?? resolve(context, request);
  resolved.set(request, known);
  return known;
}

/** Only confidential clients are trusted, because everybody can know a public client's key. */
function resolve({ services }: HttpContext, request: FastifyRequest): Caller {
  const { clients } = services;
  const client = triesBasic(request)
    ? clientOfBasic(clients, request)
    : clients.ofKey(credentialOf(request) ?? '');
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
