import {
  isTokenActive,
  parseApiToken,
  parseApiTokenId,
  type ApiTokenId,
  type ApiTokenRecord,
} from '../../domain/api-token.ts';
import { Refusal } from '../../domain/errors/refusal.ts';
import type { Ms } from '../../domain/time.ts';
import type { TokenPage, TokenWithUser } from '../../ports/store.ts';
import type { Services } from '../services.ts';

type Needs = Pick<Services, 'clients' | 'rules' | 'store'>;

/** The token's row and its person. @throws Refusal `token.invalid` */
export async function authenticateBearer(
  services: Needs,
  text: string,
  now: Ms,
): Promise<TokenWithUser> {
  const found = await findActive(services, text, now);
  if (found === null) throw new Refusal('token.invalid');
  return found;
}

/** RFC 7662: a token that is not active, or not this client's, is null, whatever the reason. */
export async function introspectToken(
  services: Needs,
  { token, client }: { token: string; client: string },
  now: Ms,
): Promise<TokenWithUser | null> {
  const found = await findActive(services, token, now);
  return found?.token.client === client ? found : null;
}

/** A page of the person's devices. */
export interface Devices {
  readonly tokens: readonly ApiTokenRecord[];
  /** The last one of this page when there are more. */
  readonly next: ApiTokenId | null;
}

/** The person's devices with this client, newest first: what they use elsewhere is not its business. */
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

/** Ends one of these tokens; another person's or client's is as unknown as none. @throws Refusal */
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
  // The operator has taken the application out of the clients file: its tokens end with it.
  if (clients.find(found.token.client) === null) return null;
  return isTokenActive(found.token, now) ? found : null;
}
