import type { ApiTokenId } from '../../../account/api-token.ts';
import type { Ms } from '../../../values/time.ts';
import type {
  RevocationScope,
  RevokedPage,
  TokenPage,
  TokenStore,
  TokenWithUser,
} from '../../ports/store.port.ts';
import { scopeOwner } from '../revocation-scope.ts';
import { revokeAll, revokeToken } from '../commands/tokens.ts';
import type { CommandParts, SqlParts } from '../engine.ts';
import { all, one, type Read, type SqlRow } from '../statement.ts';
import { apiTokenFromRow, tokenIdFromRow } from '../rows/api-tokens.ts';
import { userWith } from './users.ts';

/** Ids consist of digits, lower-case letters and dashes. */
const BELOW_ALL_IDS = '';
const ABOVE_ALL_IDS = '~';

export function tokenStore(parts: SqlParts): TokenStore {
  const { engine, sql } = parts;
  return {
    findToken: (digest) =>
      engine.read(withUser(parts, one(sql.selectToken, { token_digest: digest }))),
    findTokenOfAttempt: (attemptId) =>
      engine.read(withUser(parts, one(sql.selectTokenOfAttempt, { attempt_id: attemptId }))),
    listTokens: async ({ userId, client }, { after, limit }, now) => {
      const values = { user_id: userId, client, below: after, limit, at: now };
      const rows = await engine.read(all(sql.selectActiveTokens, values));
      return rows.map((row) => apiTokenFromRow(row));
    },
    revokeToken: (tokenId, owner, at) => engine.run(revokeToken(parts, tokenId, owner, at)),
    revokeAll: (at, scope, page) => revokePage(parts, at, scope, page ?? null),
  };
}

/**
 * The end of the page is looked for by a read, because the writes of others wait for a transaction.
 */
async function revokePage(
  parts: SqlParts,
  at: Ms,
  scope: RevocationScope,
  page: TokenPage | null,
): Promise<RevokedPage> {
  const above = page?.after ?? BELOW_ALL_IDS;
  const last = page === null ? null : await nthActive(parts, at, scope, above, page.limit);
  const range = { above, upTo: last ?? ABOVE_ALL_IDS };
  const place = { isFirst: above === BELOW_ALL_IDS, isLast: last === null };
  const counts = await parts.engine.run(revokeAll(parts, at, scope, { ...range, ...place }));
  return { ...counts, last };
}

/** The id of the n-th active token after this id; null when there are fewer. */
async function nthActive(
  { engine, sql }: SqlParts,
  at: Ms,
  scope: RevocationScope,
  above: string,
  count: number,
): Promise<ApiTokenId | null> {
  const { userId, client } = scopeOwner(scope);
  const values = { user_id: userId, client, at, above, offset: count - 1 };
  const row = await engine.read(one(sql.selectNthActiveToken, values));
  return row === null ? null : tokenIdFromRow(row);
}

function* withUser(parts: CommandParts, lookUp: Read<SqlRow | null>): Read<TokenWithUser | null> {
  const row = yield* lookUp;
  if (row === null) return null;
  const token = apiTokenFromRow(row);
  const user = yield* userWith(parts, token.userId);
  // People whose key is lost are removed together with their tokens.
  return user === null ? null : { token, user };
}
