import type { FastifyReply, FastifyRequest } from 'fastify';
import { Refusal } from '../domain/errors/refusal.ts';
import { RATE_WINDOW_MS, type RatePolicy } from '../domain/limits.ts';
import { SECOND_MS, type Ms } from '../domain/time.ts';
import type { RateStanding } from '../ports/coordination.ts';
import { clientKey } from './client-address.ts';
import type { HttpContext } from './context.ts';

/** Counts a request before its body is read; where nothing is counted there is no hook. */
export type LimitHooks = ((request: FastifyRequest, reply: FastifyReply) => Promise<void>)[];

/** Counts by client address. */
export function limitByAddress(context: HttpContext, policy: RatePolicy): LimitHooks {
  if (context.limiter === null) return [];
  return [
    (request, reply) => consume(context, reply, policy, clientKey(request), context.clock.now()),
  ];
}

/** An attempt's id is no secret: what everybody may do with it is counted for each by themselves. */
export function attemptAndAddress(attemptId: string, request: FastifyRequest): string {
  return `${attemptId} ${clientKey(request)}`;
}

/** Counts one request and says so in the headers. @throws Refusal `rate_limited` */
export async function consume(
  { limiter }: HttpContext,
  reply: FastifyReply,
  policy: RatePolicy,
  key: string,
  now: Ms,
): Promise<void> {
  if (limiter === null) return;
  const standing = await limiter.consume(policy, key, now);
  reply.headers(rateHeaders(standing));
  if (standing.allowed) return;
  throw new Refusal('rate_limited', {
    retryAfterSeconds: standing.resetSeconds,
    violatedPolicies: [policy.name],
  });
}

/** The IETF's RateLimit fields and the older X-RateLimit ones: clients in the field read either. */
function rateHeaders({ policy, remaining, resetSeconds }: RateStanding) {
  return {
    ratelimit: `"${policy.name}";r=${remaining};t=${resetSeconds}`,
    'ratelimit-policy': `"${policy.name}";q=${policy.quota};w=${RATE_WINDOW_MS / SECOND_MS}`,
    'x-ratelimit-limit': policy.quota,
    'x-ratelimit-remaining': remaining,
  };
}
