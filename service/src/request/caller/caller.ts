import type { FastifyRequest } from 'fastify';
import type { Client } from '../../account/client.ts';
import { parseIpAddress, type IpAddress } from '../../values/ip-address.ts';
import { clientOfBasic, triesBasic } from './basic.ts';
import { credentialOf } from './bearer.ts';
import type { HttpContext } from '../context.ts';

/** Who sent a request. Determined once per request, so that all uses agree. */
export interface Caller {
  /** The client whose key it carries; null without a known key. */
  readonly client: Client | null;
  /**
   * The back end whose statement of end users' addresses is trusted; null for all other callers.
   */
  readonly backEnd: string | null;
  /** The end user's address; null when a back end does not state it, or not as an address. */
  readonly endUserAddress: IpAddress | null;
  /** Whether a back end states what is no address. */
  readonly isMisstated: boolean;
}

export const END_USER_ADDRESS = 'X-End-User-Address';

const resolved = new WeakMap<FastifyRequest, Caller>();

export function callerOf(context: HttpContext, request: FastifyRequest): Caller {
  const known = resolved.get(request) ?? resolve(context, request);
  resolved.set(request, known);
  return known;
}

/** Only confidential clients are trusted, because everybody can know a public client's key. */
function resolve({ services, addresses }: HttpContext, request: FastifyRequest): Caller {
  const { clients, rules } = services;
  const client = triesBasic(request)
    ? clientOfBasic(clients, request)
    : clients.ofKey(credentialOf(request) ?? '');
  const stated = client?.type === 'confidential' ? statedBy(request) : null;
  const address = stated === null ? null : parseIpAddress(stated);
  const isBelieved = rules.believesBackEnds && client?.type === 'confidential';
  return {
    client,
    backEnd: isBelieved ? client.id : null,
    endUserAddress: isBelieved ? address : addresses.of(request),
    isMisstated: stated !== null && address === null,
  };
}

function statedBy({ headers }: FastifyRequest): string | null {
  const stated = headers[END_USER_ADDRESS.toLowerCase()];
  return typeof stated === 'string' ? stated : null;
}
