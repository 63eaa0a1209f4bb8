import {
  isTokenActive,
  parseApiToken,
  parseApiTokenId,
  type ApiTokenRecord,
} from '../domain/api-token.ts';
import { Refusal } from '../domain/errors/refusal.ts';
import type { Ms } from '../domain/time.ts';
import type { TokenWithUser } from '../ports/store.ts';
import type { Tools } from './tools.ts';

/** The token's row and its person. @throws Refusal `token.invalid` */
export async function authenticateBearer(
  tools: Tools,
  text: string,
  now: Ms,
): Promise<TokenWithUser> {
  const found = await findActive(tools, text, now);
  if (found === null) throw new Refusal('token.invalid');
  return found;
}

/** RFC 7662: a token that is not active, or not this client's, is null, whatever the reason. */
export async function introspectToken(
  tools: Tools,
  { token, client }: { token: string; client: string },
  now: Ms,
): Promise<TokenWithUser | null> {
  const found = await findActive(tools, token, now);
  return found?.token.client === client ? found : null;
}

/** The person's devices with this client, newest first: what they use elsewhere is not its business. */
export async function listTokens(
  { store }: Tools,
  { user, token }: TokenWithUser,
  now: Ms,
): Promise<readonly ApiTokenRecord[]> {
  const tokens = await store.listTokens(user.id, now);
  return tokens.filter(({ client }) => client === token.client);
}

/** Ends one of these tokens; another person's or client's is as unknown as none. @throws Refusal */
export async function revokeToken(
  tools: Tools,
  bearer: TokenWithUser,
  tokenId: string,
  now: Ms,
): Promise<void> {
  const parsed = parseApiTokenId(tokenId);
  const found = (await listTokens(tools, bearer, now)).find((token) => token.tokenId === parsed);
  const { store } = tools;
  const revoked =
    found !== undefined && (await store.revokeToken(found.tokenId, bearer.user.id, now));
  if (!revoked) throw new Refusal('token.not_found');
}

async function findActive(
  { store, rules }: Tools,
  text: string,
  now: Ms,
): Promise<TokenWithUser | null> {
  const digest = parseApiToken(rules.tokenMark, text);
  const found = digest === null ? null : await store.findToken(digest);
  if (found === null || found.user.disabledAt !== null) return null;
  return isTokenActive(found.token, now) ? found : null;
}
