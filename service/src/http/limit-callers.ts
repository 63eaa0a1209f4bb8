import { isIP } from 'node:net';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { RATE_POLICIES, type RatePolicy } from '../domain/limits.ts';
import { addressKey, clientKey } from './client-address.ts';
import { clientOf } from './client-key.ts';
import type { HttpContext } from './context.ts';
import { spend } from './limit-rate.ts';

const END_USER_ADDRESS = 'x-end-user-address';

/**
 * Counts by address, but a back end's requests, which all come from the same few machines: it says
 * whose they are. One that does not has a larger budget for all of them together.
 */
export function limitByCaller(context: HttpContext, policy: RatePolicy) {
  return async (request: FastifyRequest, reply: FastifyReply): Promise<void> => {
    const now = context.clock.now();
    const client = backEndOf(context, request);
    const address = endUserAddress(context, request);
    if (client === null) spend(context, reply, policy, clientKey(request), now);
    else if (address === null) spend(context, reply, RATE_POLICIES.backEnd, client, now);
    else spend(context, reply, policy, `${client} ${addressKey(address)}`, now);
  };
}

/** Where the person is; null when a back end does not say. */
export function endUserAddress(context: HttpContext, request: FastifyRequest): string | null {
  if (backEndOf(context, request) === null) return request.ip;
  const named = request.headers[END_USER_ADDRESS];
  return typeof named === 'string' && isIP(named) !== 0 ? named : null;
}

/** Only who keeps a key to themselves is believed: a public client's is in everybody's hands. */
function backEndOf(context: HttpContext, request: FastifyRequest): string | null {
  const client = context.tools.rules.believesBackEnds ? clientOf(context, request) : null;
  return client?.type === 'confidential' ? client.id : null;
}
