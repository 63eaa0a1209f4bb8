/**
 * Who has sent a request, by its key or its address; and the limits that it is counted in: what is
 * left of them, and how its answer says so.
 */
import type { ServerResponse } from 'node:http';
import { ATTEMPT_TOKEN_LENGTH } from '@miftah/contract/values';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { isClientKey, SIMULATOR_KEY, type Client } from '../../account/client.ts';
import type { Clients } from '../../account/clients.port.ts';
import { authenticateBearer } from '../../account/use-api-token.flow.ts';
import type { Flow } from '../../attempt/flow.ts';
import { keyInScope } from '../../attempt/scenario.ts';
import { KEY_OF_ANOTHER, limitUsedUp, TOKEN_AS_BEARER } from '../../errors/notes.ts';
import { Refusal } from '../../errors/refusal.ts';
import type { HttpContext } from '../context.ts';
import { scopeOfRequest } from '../request-head.ts';
import type { TokenWithUser } from '../../store/ports/store.port.ts';
import { type IpAddress, parseIpAddress, networkOf } from '../../values/ip-address.ts';
import { type Ms, SECOND_MS, secondsUntil } from '../../values/time.ts';
import { fieldRefusal } from '../body/validation.ts';
import {
  RATE_POLICIES,
  RATE_WINDOW_MS,
  type RatePolicy,
  type RateStanding,
  strictestOf,
} from '../../values/limits.ts';

/** RFC 7617 section 2: a realm is required, and `charset` tells how the text is encoded. */
export const BASIC_CHALLENGE = 'Basic realm="introspection", charset="UTF-8"';

const CREDENTIALS = /^basic +([\da-z+/]+={0,2}) *$/i;

/** Whether Basic was tried where it is taken: the challenge of a refusal repeats the scheme. */
export function triesBasic({ headers, routeOptions }: FastifyRequest): boolean {
  return routeOptions.config.basic === true && /^basic\b/i.test(headers.authorization ?? '');
}

/**
 * The client whose id and key the request carries (RFC 6749 section 2.3.1). Null where the key is
 * another client's, and for everything that can't be read.
 */
function clientOfBasic(clients: Clients, request: FastifyRequest): Client | null {
  const { id, owner } = basicOf(clients, request);
  return owner?.id === id ? owner : null;
}

/** The id of a Basic header, and the client that its key belongs to. */
function basicOf(clients: Clients, { headers }: FastifyRequest) {
  const [, encoded = ''] = CREDENTIALS.exec(headers.authorization ?? '') ?? [];
  const text = Buffer.from(encoded, 'base64').toString('utf8');
  const colon = text.indexOf(':');
  if (colon < 0) return { id: null, owner: null };
  const owner = clients.ofKey(formDecoded(text.slice(colon + 1)) ?? '');
  return { id: formDecoded(text.slice(0, colon)), owner };
}

function formDecoded(text: string): string | null {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    return null;
  }
}

/** RFC 6750 section 2.1; the scheme's name is case-insensitive (RFC 9110 section 11.1). */
export function credentialOf({ headers }: FastifyRequest): string | null {
  const [, credential] = /^bearer +(\S+) *$/i.exec(headers.authorization ?? '') ?? [];
  return credential ?? null;
}

/** Null without a key, and for one that no client has. */
function clientOfBearer(clients: Clients, request: FastifyRequest): Client | null {
  const key = credentialOf(request);
  return key === null ? null : clients.ofKey(key);
}

/**
 * RFC 6750 section 3.1: a request that sends a token in more than one way is invalid. A token in
 * the address is always refused, because logs and browser histories store addresses.
 */
function refuseTokenInAddress({ query }: FastifyRequest): void {
  const isThere = typeof query === 'object' && query !== null && 'access_token' in query;
  if (isThere) throw new Refusal('token.in_address');
}

/** @throws Refusal `token.missing`, `token.in_address` or `token.invalid` */
export async function requireBearer(
  { services }: HttpContext,
  request: FastifyRequest,
  now: Ms,
): Promise<TokenWithUser> {
  refuseTokenInAddress(request);
  const text = credentialOf(request);
  if (text === null) throw new Refusal('token.missing');
  return authenticateBearer(services, text, now);
}

/** Who sent a request. Determined once per request, so that all uses agree. */
export interface Caller {
  /** The client whose key it carries; null without a known key. */
  readonly client: Client | null;
  /**
   * The back end whose statement of end users' addresses is trusted; null for all other callers.
   */
  readonly backEnd: string | null;
  /** The end user's address; null when a back end does not state it, or not as an address. */
  readonly endUserAddress: IpAddress | null;
  /** Whether a back end states what is no address. */
  readonly isMisstated: boolean;
}

const END_USER_ADDRESS = 'X-End-User-Address';

const resolved = new WeakMap<FastifyRequest, Caller>();

export function callerOf(context: HttpContext, request: FastifyRequest): Caller {
  const known = resolved.get(request) ?? resolve(context, request);
  resolved.set(request, known);
  return known;
}

/** Only confidential clients are trusted, because everybody can know a public client's key. */
function resolve({ services, addresses }: HttpContext, request: FastifyRequest): Caller {
  const { clients, rules } = services;
  const client = triesBasic(request)
    ? clientOfBasic(clients, request)
    : clientOfBearer(clients, request);
  const stated = client?.type === 'confidential' ? statedBy(request) : null;
  const address = stated === null ? null : parseIpAddress(stated);
  const isBelieved = rules.believesBackEnds && client?.type === 'confidential';
  return {
    client,
    backEnd: isBelieved ? client.id : null,
    endUserAddress: isBelieved ? address : addresses.of(request),
    isMisstated: stated !== null && address === null,
  };
}

function statedBy({ headers }: FastifyRequest): string | null {
  const stated = headers[END_USER_ADDRESS.toLowerCase()];
  return typeof stated === 'string' ? stated : null;
}

/**
 * The key under which a caller without a client's key is counted: the address, and in a simulation
 * the scope too.
 */
export function callerKeyOf(context: HttpContext, request: FastifyRequest): string {
  return keyInScope(scopeOfRequest(context, request), context.addresses.keyOf(request));
}

/** The client whose key the request carries. An API token is not a client key. @throws Refusal */
export function requireClient(context: HttpContext, request: FastifyRequest): Client {
  const { client } = callerOf(context, request);
  if (client === null) throw unauthenticated(context, request);
  return client;
}

/**
 * In simulator mode it names the published key, where that is the key of a client. Whoever has a key
 * may know that it is one: the same key alone, as Bearer, is taken.
 */
function unauthenticated({ services, settings }: HttpContext, request: FastifyRequest): Refusal {
  if (triesBasic(request) && basicOf(services.clients, request).owner !== null) {
    return new Refusal('client.unauthenticated', { note: KEY_OF_ANOTHER });
  }
  const isTaken = settings.mode === 'simulator' && services.clients.ofKey(SIMULATOR_KEY) !== null;
  return new Refusal('client.unauthenticated', isTaken ? { publishedKey: SIMULATOR_KEY } : {});
}

/**
 * The client that starts: the owner of the key, or the one that may start this flow without a key.
 * Where keys are required, a wrong key is refused even if no key was needed.
 * @throws Refusal
 */
export function startingClient(context: HttpContext, request: FastifyRequest, flow: Flow): Client {
  const { clients, rules } = context.services;
  const { client: owner } = callerOf(context, request);
  const isAsked = rules.startedBy === 'clients' && request.headers.authorization !== undefined;
  const client = owner ?? (isAsked ? null : clients.keyless(flow));
  if (client === null) throw unauthenticated(context, request);
  return client;
}

/**
 * Checked before any look-up, so that the answer is the same for every id.
 * @throws Refusal `attempt.token_missing`
 */
export function attemptTokenOf(request: FastifyRequest): string {
  const token = request.headers['x-provider-attempt-token'];
  if (typeof token === 'string' && token !== '') return token;
  const bearer = credentialOf(request) ?? '';
  const isBearer = bearer.length === ATTEMPT_TOKEN_LENGTH && !isClientKey(bearer);
  throw new Refusal('attempt.token_missing', isBearer ? { note: TOKEN_AS_BEARER } : {});
}

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

/** Counts one request, and lets its answer say so. @throws Refusal `rate_limited` */
export async function consume(
  { limiter, clock, services: { meter }, settings: { mode } }: HttpContext,
  reply: FastifyReply,
  policy: RatePolicy,
  key: string,
  now: Ms,
): Promise<void> {
  if (limiter === null) return;
  const counted = await limiter.consume(policy, key, now);
  const countedAt = clock.now();
  const told = tellStanding(reply, counted, countedAt);
  if (counted.allowed) return;
  const resetSeconds = secondsLeft(told, countedAt);
  const windowSeconds = RATE_WINDOW_MS / SECOND_MS;
  meter.limitHit(policy.name);
  throw new Refusal('rate_limited', {
    retryAfterSeconds: resetSeconds,
    note: limitUsedUp({ ...policy, windowSeconds, resetSeconds }),
    violatedPolicies: [policy.name],
    ...(mode === 'simulator' ? { canBeOff: true } : {}),
  });
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
  const { backEnd, client, endUserAddress: address } = callerOf(context, request);
  const caller = callerKeyOf(context, request);
  if (backEnd === null) return consume(context, reply, policy, caller, now);
  const key = keyInScope(scopeOfRequest(context, request), backEnd);
  if (address === null) {
    const quota = client?.limits.requestsPerMinute ?? RATE_POLICIES.backEnd.quota;
    return consume(context, reply, { ...RATE_POLICIES.backEnd, quota }, key, now);
  }
  return consume(context, reply, policy, `${key} ${networkOf(address)}`, now);
}

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
const LIMIT_HEADERS = [
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
  for (const name of LIMIT_HEADERS) reply.removeHeader(name);
}

/** As `tellNoStanding`, for an answer that the framework does not write. */
export function forgetStanding(answer: ServerResponse): void {
  standings.delete(answer);
  for (const name of LIMIT_HEADERS) answer.removeHeader(name);
}

/** Whole seconds, rounded up: whoever waits for them is not refused at the edge of the window. */
export function secondsLeft({ endsAt }: RateStanding, now: Ms): number {
  return Math.max(1, secondsUntil(endsAt, now));
}

/**
 * The standing as it is when it is told, which may be long after it was counted: the answer of a
 * request that waits tells of the next window when its own has ended meanwhile.
 */
function standingAt(standing: RateStanding, now: Ms): RateStanding {
  if (now < standing.endsAt) return standing;
  return { ...standing, remaining: standing.policy.quota, endsAt: now + RATE_WINDOW_MS };
}

/** The IETF's RateLimit fields and the older X-RateLimit ones, because clients read either. */
export function rateHeaders(
  standing: RateStanding,
  now: Ms,
): Readonly<Record<(typeof LIMIT_HEADERS)[number], string>> {
  const told = standingAt(standing, now);
  const { policy, remaining } = told;
  return {
    ratelimit: `"${policy.name}";r=${remaining};t=${secondsLeft(told, now)}`,
    'ratelimit-policy': `"${policy.name}";q=${policy.quota};w=${RATE_WINDOW_MS / SECOND_MS}`,
    'x-ratelimit-limit': String(policy.quota),
    'x-ratelimit-remaining': String(remaining),
  };
}
