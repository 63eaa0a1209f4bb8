import { isIP } from 'node:net';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { RATE_POLICIES } from '../domain/limits.ts';
import { isLive } from '../domain/mode.ts';
import { addressKey } from './client-address.ts';
import { clientOf } from './client-key.ts';
import type { HttpContext } from './context.ts';
import { spend } from './limit-rate.ts';

const END_USER_ADDRESS = 'x-end-user-address';

/**
 * Without a client's key, starts are counted by address. With one they all come from the same few
 * machines, so the client says whose they are; a client that does not, shares one larger budget.
 */
export function limitStarts(context: HttpContext) {
  return async (request: FastifyRequest, reply: FastifyReply): Promise<void> => {
    const now = context.clock.now();
    const client = isLive(context.tools.mode) ? clientOf(context, request) : null;
    const address = endUserAddress(context, request);
    if (client === null) spend(context, reply, RATE_POLICIES.start, addressKey(request.ip), now);
    else if (address === null) spend(context, reply, RATE_POLICIES.clientStarts, client.id, now);
    else spend(context, reply, RATE_POLICIES.start, `${client.id} ${addressKey(address)}`, now);
  };
}

/** Believed from a client with a key; else the caller's own address. */
export function endUserAddress(context: HttpContext, request: FastifyRequest): string | null {
  if (!isLive(context.tools.mode)) return request.ip;
  if (clientOf(context, request) === null) return request.ip;
  const named = request.headers[END_USER_ADDRESS];
  return typeof named === 'string' && isIP(named) !== 0 ? named : null;
}
