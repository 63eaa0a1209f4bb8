import {
  isTokenActive,
  parseApiToken,
  parseApiTokenId,
  type ApiTokenId,
  type ApiTokenRecord,
} from './api-token.ts';
import { Refusal } from '../errors/refusal.ts';
import type { Ms } from '../values/time.ts';
import type { TokenPage, TokenWithUser } from '../store/ports/store.port.ts';
import type { Services } from '../attempt/services.flow.ts';

type Needs = Pick<Services, 'clients' | 'rules' | 'store'>;

/** The row of the token and its user. @throws Refusal `token.invalid` */
export async function authenticateBearer(
  services: Needs,
  text: string,
  now: Ms,
): Promise<TokenWithUser> {
  const found = await findActive(services, text, now);
  if (found === null) throw new Refusal('token.invalid');
  return found;
}

/** RFC 7662: null for a token that is inactive or another client's, without saying which. */
export async function introspectToken(
  services: Needs,
  { token, client }: { token: string; client: string },
  now: Ms,
): Promise<TokenWithUser | null> {
  const found = await findActive(services, token, now);
  return found?.token.client === client ? found : null;
}

/** One page of the user's active tokens; each belongs to a device. */
export interface Devices {
  readonly tokens: readonly ApiTokenRecord[];
  /** The last token of this page if more follow; otherwise null. */
  readonly next: ApiTokenId | null;
}

/**
 * The user's tokens with this client, newest first. A client does not see tokens with other
 * clients.
 */
export async function listTokens(
  { store }: Pick<Services, 'store'>,
  { token: own }: TokenWithUser,
  { after, limit }: TokenPage,
  now: Ms,
): Promise<Devices> {
  const found = await store.listTokens(own, { after, limit: limit + 1 }, now);
  const tokens = found.slice(0, limit);
  const hasMore = found.length > tokens.length;
  return { tokens, next: hasMore ? (tokens.at(-1)?.tokenId ?? null) : null };
}

/**
 * Revokes one of the user's tokens with this client; any other token is not found.
 * @throws Refusal
 */
export async function revokeToken(
  { store }: Pick<Services, 'store'>,
  { token: own }: TokenWithUser,
  tokenId: string,
  now: Ms,
): Promise<void> {
  const parsed = parseApiTokenId(tokenId);
  const revoked = parsed !== null && (await store.revokeToken(parsed, own, now));
  if (!revoked) throw new Refusal('token.not_found');
}

async function findActive(
  { store, rules, clients }: Needs,
  text: string,
  now: Ms,
): Promise<TokenWithUser | null> {
  const digest = parseApiToken(rules.tokenMark, text);
  const found = digest === null ? null : await store.findToken(digest);
  if (found === null || found.user.disabledAt !== null) return null;
  // The operator removed the application from the clients file, which makes its tokens inactive.
  if (clients.find(found.token.client) === null) return null;
  return isTokenActive(found.token, now) ? found : null;
}
