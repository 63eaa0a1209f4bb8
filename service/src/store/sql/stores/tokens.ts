import type { TokenStore, TokenWithUser } from '../../../ports/store/index.ts';
import { revokeAll, revokeToken } from '../commands/tokens.ts';
import type { CommandParts, SqlParts } from '../engine.ts';
import { all, one, type Read } from '../read.ts';
import { apiTokenFromRow } from '../rows/api-tokens.ts';
import type { SqlRow } from '../statement.ts';
import { userWith } from './users.ts';

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
    revokeAll: (at, scope) => engine.run(revokeAll(parts, at, scope)),
  };
}

function* withUser(parts: CommandParts, lookUp: Read<SqlRow | null>): Read<TokenWithUser | null> {
  const row = yield* lookUp;
  if (row === null) return null;
  const token = apiTokenFromRow(row);
  const user = yield* userWith(parts, token.userId);
  // People whose key is lost are removed together with their tokens.
  return user === null ? null : { token, user };
}
