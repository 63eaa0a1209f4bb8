import type { FastifyRequest } from 'fastify';
import { keyInScope } from '../../attempt/scenario.ts';
import type { HttpContext } from '../context.ts';
import { scopeOfRequest } from '../scope-address.ts';

/**
 * The key under which a caller without a client's key is counted: the address, and in a simulation
 * the scope too.
 */
export function callerKeyOf(context: HttpContext, request: FastifyRequest): string {
  return keyInScope(scopeOfRequest(context, request), context.addresses.keyOf(request));
}
