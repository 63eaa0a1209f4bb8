import type { FastifyReply, FastifyRequest } from 'fastify';
import { Refusal } from '../../errors/refusal.ts';
import { RATE_WINDOW_MS, type RatePolicy } from '../../values/limits.ts';
import { SECOND_MS, type Ms } from '../../values/time.ts';
import type { RateStanding } from '../../platform/coordination/coordination.port.ts';
import { callerKeyOf } from './caller-key.ts';
import type { HttpContext } from '../context.ts';

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
