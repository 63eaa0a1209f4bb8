import type { ServerResponse } from 'node:http';
import type { FastifyReply } from 'fastify';
import {
  RATE_WINDOW_MS,
  type RateStanding,
  secondsLeft,
  standingAt,
  strictestOf,
} from '../../values/limits.ts';
import { SECOND_MS, type Ms } from '../../values/time.ts';

/** By the answer itself, because some are written without the framework. */
const standings = new WeakMap<ServerResponse, RateStanding>();

/**
 * Lets an answer say where its caller stands. Of several limits that it was counted in it tells the
 * one that binds: what is left of the others is not less.
 * @returns the one that is told
 */
export function tellStanding(reply: FastifyReply, counted: RateStanding, now: Ms): RateStanding {
  const told = noteStanding(reply.raw, counted);
  reply.headers(rateHeaders(told, now));
  return told;
}

/** As `tellStanding`, for an answer whose headers are written later. */
export function noteStanding(answer: ServerResponse, counted: RateStanding): RateStanding {
  const before = standings.get(answer);
  const told = before === undefined ? counted : strictestOf(before, counted);
  standings.set(answer, told);
  return told;
}

/**
 * What an answer says when it is sent, which may be long after it was counted: it may have waited for
 * the end of an attempt, or for the provider. Empty for one that was not counted.
 */
export function headersAtEnd(answer: ServerResponse, now: Ms): Readonly<Record<string, string>> {
  const standing = standings.get(answer);
  return standing === undefined ? {} : rateHeaders(standing, now);
}

/** The names of all headers about limits but Retry-After. */
const NAMES = [
  'ratelimit',
  'ratelimit-policy',
  'x-ratelimit-limit',
  'x-ratelimit-remaining',
] as const;

/**
 * For what another limit has refused, whose windows nobody is told: `r` would say that the same
 * request is allowed, and it is not.
 */
export function tellNoStanding(reply: FastifyReply): void {
  forgetStanding(reply.raw);
  for (const name of NAMES) reply.removeHeader(name);
}

/** As `tellNoStanding`, for an answer that the framework does not write. */
export function forgetStanding(answer: ServerResponse): void {
  standings.delete(answer);
  for (const name of NAMES) answer.removeHeader(name);
}

/** The IETF's RateLimit fields and the older X-RateLimit ones, because clients read either. */
export function rateHeaders(
  standing: RateStanding,
  now: Ms,
): Readonly<Record<(typeof NAMES)[number], string>> {
  const told = standingAt(standing, now);
  const { policy, remaining } = told;
  return {
    ratelimit: `"${policy.name}";r=${remaining};t=${secondsLeft(told, now)}`,
    'ratelimit-policy': `"${policy.name}";q=${policy.quota};w=${RATE_WINDOW_MS / SECOND_MS}`,
    'x-ratelimit-limit': String(policy.quota),
    'x-ratelimit-remaining': String(remaining),
  };
}
