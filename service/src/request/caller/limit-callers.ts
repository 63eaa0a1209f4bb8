import type { FastifyReply, FastifyRequest } from 'fastify';
import { networkOf } from '../../values/ip-address.ts';
import { RATE_POLICIES, type RatePolicy } from '../../values/limits.ts';
import { keyInScope } from '../../attempt/scenario.ts';
import { callerKeyOf } from './caller-key.ts';
import { callerOf, END_USER_ADDRESS } from './caller.ts';
import type { HttpContext } from '../context.ts';
import { consume, type LimitHooks } from './limit-rate.ts';
import { scopeOfRequest } from '../scope-address.ts';
import { fieldRefusal } from '../body/validation.ts';

/**
 * Counts by the client's address. A back end's requests all come from a few machines, so they are
 * counted by the end user's address that it states; those without an address share a larger quota.
 * What it states has to be an address: a proxy's list, or a name, would be that quota for everybody.
 */
export function limitByCaller(context: HttpContext, policy: RatePolicy): LimitHooks {
  return [
    async (request, reply) => {
      if (context.limiter !== null) await count(context, policy, request, reply);
      if (callerOf(context, request).isMisstated) throw fieldRefusal(END_USER_ADDRESS, 'format');
    },
  ];
}

function count(
  context: HttpContext,
  policy: RatePolicy,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<void> {
  const now = context.clock.now();
  const { backEnd, endUserAddress: address } = callerOf(context, request);
  const caller = callerKeyOf(context, request);
  if (backEnd === null) return consume(context, reply, policy, caller, now);
  const key = keyInScope(scopeOfRequest(context, request), backEnd);
  if (address === null) return consume(context, reply, RATE_POLICIES.backEnd, key, now);
  return consume(context, reply, policy, `${key} ${networkOf(address)}`, now);
}
