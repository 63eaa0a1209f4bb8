import type { FastifyReply, FastifyRequest } from 'fastify';
import { keyInScope } from '../../attempt/scenario.ts';
import { Refusal } from '../../errors/refusal.ts';
import type { RateStanding } from '../../platform/coordination/coordination.port.ts';
import { fieldRefusal } from '../body/validation.ts';
import { END_USER_ADDRESS, callerKeyOf, callerOf } from './caller.ts';
import type { HttpContext } from '../context.ts';
import { scopeOfRequest } from '../request-target.ts';
import { networkOf } from '../../values/ip-address.ts';
import { RATE_POLICIES, RATE_WINDOW_MS, type RatePolicy } from '../../values/limits.ts';
import { type Ms, SECOND_MS } from '../../values/time.ts';

/** Hooks that count a request before its body is read; empty when rate limits are off. */
export type LimitHooks = ((request: FastifyRequest, reply: FastifyReply) => Promise<void>)[];

/** Counts by client address. */
export function limitByAddress(context: HttpContext, policy: RatePolicy): LimitHooks {
  if (context.limiter === null) return [];
  return [
    (request, reply) =>
      consume(context, reply, policy, callerKeyOf(context, request), context.clock.now()),
  ];
}

/**
 * A rate limit key of attempt and address. An attempt's id is not secret, so each caller is counted
 * separately.
 */
export function attemptAndAddress(
  context: HttpContext,
  attemptId: string,
  request: FastifyRequest,
): string {
  return `${attemptId} ${callerKeyOf(context, request)}`;
}

/** Counts one request, and sets the rate limit headers. @throws Refusal `rate_limited` */
export async function consume(
  { limiter, services: { meter } }: HttpContext,
  reply: FastifyReply,
  policy: RatePolicy,
  key: string,
  now: Ms,
): Promise<void> {
  if (limiter === null) return;
  const standing = await limiter.consume(policy, key, now);
  reply.headers(rateHeaders(standing));
  if (standing.allowed) return;
  meter.limitHit(policy.name);
  throw new Refusal('rate_limited', {
    retryAfterSeconds: standing.resetSeconds,
    violatedPolicies: [policy.name],
  });
}

/** The IETF's RateLimit fields and the older X-RateLimit ones, because clients read either. */
function rateHeaders({ policy, remaining, resetSeconds }: RateStanding) {
  return {
    ratelimit: `"${policy.name}";r=${remaining};t=${resetSeconds}`,
    'ratelimit-policy': `"${policy.name}";q=${policy.quota};w=${RATE_WINDOW_MS / SECOND_MS}`,
    'x-ratelimit-limit': policy.quota,
    'x-ratelimit-remaining': remaining,
  };
}

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
