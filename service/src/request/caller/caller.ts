import type { FastifyRequest } from 'fastify';
import type { Client } from '../../account/client.ts';
import type { Clients } from '../../account/clients.port.ts';
import { authenticateBearer } from '../../account/use-api-token.flow.ts';
import type { Flow } from '../../attempt/flow.ts';
import { keyInScope } from '../../attempt/scenario.ts';
import { Refusal } from '../../errors/refusal.ts';
import type { HttpContext } from '../context.ts';
import { scopeOfRequest } from '../request-target.ts';
import type { TokenWithUser } from '../../store/ports/store.port.ts';
import { type IpAddress, parseIpAddress } from '../../values/ip-address.ts';
import type { Ms } from '../../values/time.ts';

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
function clientOfBasic(clients: Clients, { headers }: FastifyRequest): Client | null {
  const [, encoded = ''] = CREDENTIALS.exec(headers.authorization ?? '') ?? [];
  const text = Buffer.from(encoded, 'base64').toString('utf8');
  const colon = text.indexOf(':');
  if (colon < 0) return null;
  const client = clients.ofKey(formDecoded(text.slice(colon + 1)) ?? '');
  return client !== null && client.id === formDecoded(text.slice(0, colon)) ? client : null;
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

export const END_USER_ADDRESS = 'X-End-User-Address';

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
    : clients.ofKey(credentialOf(request) ?? '');
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
  if (client === null) throw new Refusal('client.unauthenticated');
  return client;
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
  if (client === null) throw new Refusal('client.unauthenticated');
  return client;
}

/**
 * Checked before any look-up, so that the answer is the same for every id.
 * @throws Refusal `attempt.token_missing`
 */
export function attemptTokenOf({ headers }: FastifyRequest): string {
  const token = headers['x-provider-attempt-token'];
  if (typeof token !== 'string' || token === '') throw new Refusal('attempt.token_missing');
  return token;
}
