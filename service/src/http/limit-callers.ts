import { RATE_POLICIES, type RatePolicy } from '../domain/limits.ts';
import { callerOf } from './caller.ts';
import { addressKey, clientKey } from './client-address.ts';
import type { HttpContext } from './context.ts';
import { consume, type LimitHooks } from './limit-rate.ts';

/**
 * Counts by address, but a back end's requests, which all come from the same few machines: it says
 * whose they are. One that does not has a larger budget for all of them together.
 */
export function limitByCaller(context: HttpContext, policy: RatePolicy): LimitHooks {
  if (context.limiter === null) return [];
  return [
    (request, reply) => {
      const now = context.clock.now();
      const { backEnd, endUserAddress: address } = callerOf(context, request);
      if (backEnd === null) return consume(context, reply, policy, clientKey(request), now);
      if (address === null) return consume(context, reply, RATE_POLICIES.backEnd, backEnd, now);
      return consume(context, reply, policy, `${backEnd} ${addressKey(address)}`, now);
    },
  ];
}
