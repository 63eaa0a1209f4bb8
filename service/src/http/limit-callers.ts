import { RATE_POLICIES, type RatePolicy } from '../domain/limits.ts';
import { keyInScope } from '../domain/scenario.ts';
import { callerKeyOf } from './caller-key.ts';
import { callerOf } from './caller.ts';
import { addressKey } from './client-address.ts';
import type { HttpContext } from './context.ts';
import { consume, type LimitHooks } from './limit-rate.ts';
import { scopeOfRequest } from './scope-address.ts';

/**
 * Counts by the client's address. A back end's requests all come from a few machines, so they are
 * counted by the end user's address that it states; those without an address share a larger quota.
 */
export function limitByCaller(context: HttpContext, policy: RatePolicy): LimitHooks {
  if (context.limiter === null) return [];
  return [
    (request, reply) => {
      const now = context.clock.now();
      const { backEnd, endUserAddress: address } = callerOf(context, request);
      const caller = callerKeyOf(context, request);
      if (backEnd === null) return consume(context, reply, policy, caller, now);
      const key = keyInScope(scopeOfRequest(context, request), backEnd);
      if (address === null) return consume(context, reply, RATE_POLICIES.backEnd, key, now);
      return consume(context, reply, policy, `${key} ${addressKey(address)}`, now);
    },
  ];
}
