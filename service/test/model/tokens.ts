import type { ApiTokenRecord } from '../../src/account/api-token.ts';
import type { Ms } from '../../src/values/time.ts';
import type {
  RevocationScope,
  RevokedPage,
  TokenPage,
  TokenStore,
  TokenWithUser,
} from '../../src/store/ports/store.port.ts';
import { scopeName, scopeOwner } from '../../src/store/sql/decide/revocation-scope.ts';
import type { UserId } from '../../src/account/user.ts';
import { isInScope } from './is-in-scope.ts';
import type { OpenTables, Tables } from './tables.ts';

const WHOLE: TokenPage = { after: null, limit: Number.MAX_SAFE_INTEGER };

export function tokenStore(tables: OpenTables): TokenStore {
  return {
    findToken: async (digest) => withUser(tables(), tables().tokens.ofDigest(digest)),
    findTokenOfAttempt: async (attemptId) =>
      withUser(tables(), tables().tokens.ofAttempt(attemptId)),
    listTokens: async (owner, page, now) => tables().tokens.activeOf(owner, page, now),
    revokeToken: async (tokenId, owner, at) => {
      const { tokens, audit } = tables();
      const revoked = tokens.revoke(tokenId, owner, at);
      if (revoked === null) return false;
      const { attemptId, userId, client } = revoked;
      audit.append({ at, action: 'token.revoked', attemptId, userId, client });
      return true;
    },
    revokeAll: async (at, scope, page = WHOLE) => revokeAll(tables(), at, scope, page),
  };
}

function withUser({ users }: Tables, token: ApiTokenRecord | null): TokenWithUser | null {
  const user = users.get(token?.userId ?? null);
  return token === null || user === null ? null : { token, user };
}

function revokeAll(tables: Tables, at: Ms, scope: RevocationScope, page: TokenPage): RevokedPage {
  const { tokens, audit } = tables;
  const failed = page.after === null ? endSignIns(tables, at, scope) : 0;
  logFailed(tables, failed, at, scopeOwner(scope));
  const revoked = tokens.revokeAll(scope, page, at);
  const count = revoked.length;
  const last = count < page.limit ? null : (revoked.at(-1)?.tokenId ?? null);
  const detail = last === null ? scopeName(scope) : null;
  audit.append({ at, action: 'tokens.revoked_all', ...scopeOwner(scope), detail, count });
  return { tokens: count, attempts: failed, last };
}

/** @returns how many open attempts have failed */
function endSignIns(tables: Tables, at: Ms, scope: RevocationScope): number {
  const { attempts, users, transactions } = tables;
  const { userId, client } = scopeOwner(scope);
  endOpenid(tables, userId, client);
  if (userId !== null) {
    users.endSignIns(userId, at);
    attempts.dateBack(at);
  }
  const failed = attempts.failEach(at, (attempt) => isInScope(scope, attempt));
  for (const { attemptId } of failed) transactions.eraseLaunchUrl(attemptId);
  return failed.length;
}

/** What a person who never signed in by an OpenID client has of it is nothing. */
export function endOpenid(
  { users, openid }: Pick<Tables, 'users' | 'openid'>,
  userId: UserId | null,
  client: string | null,
): void {
  const subject = userId === null ? null : users.subjectOf(userId);
  if (subject !== undefined) openid.endOf(subject, client);
}

/** One row for all sign-ins that an operator ends together. */
export function logFailed(
  { audit }: Pick<Tables, 'audit'>,
  count: number,
  at: Ms,
  owner: Partial<ReturnType<typeof scopeOwner>> = {},
): void {
  if (count === 0) return;
  audit.append({ at, action: 'attempt.failed', detail: 'attempt.failed', count, ...owner });
}
