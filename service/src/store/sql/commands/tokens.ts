import type { ApiTokenId } from '../../../account/api-token.ts';
import type { Ms } from '../../../values/time.ts';
import type { RevocationCounts, RevocationScope, TokenOwner } from '../../ports/store.port.ts';
import { scopeName, scopeOwner } from '../revocation-scope.ts';
import { tokenName, type Command } from '../command.ts';
import type { CommandParts } from '../engine.ts';
import { eraseOf } from '../identities.ts';
import { guard, step } from '../statement.ts';
import { entryAbout, entryCounting, entryOfFailed } from '../audit-entry.ts';

/** One statement decides which of several revocations at once is the first. */
export function revokeToken(
  { sql }: CommandParts,
  tokenId: ApiTokenId,
  { userId, client }: TokenOwner,
  at: Ms,
): Command<boolean> {
  const revoke = guard(sql.revokeToken, { token_id: tokenId, user_id: userId, client, at });
  return {
    steps: [revoke],
    audit: [entryAbout(revoke, 'token.revoked', at)],
    touches: [tokenName(tokenId)],
    decode: (results) => results.has(revoke),
  };
}

/** The ids of a page: those after `above`, up to and with `upTo`. */
interface TokenRange {
  readonly above: string;
  readonly upTo: string;
  readonly isFirst: boolean;
  readonly isLast: boolean;
}

/** The first page also ends the sign-ins that are under way. */
export function revokeAll(
  { sql, identities }: CommandParts,
  at: Ms,
  scope: RevocationScope,
  { above, upTo, isFirst, isLast }: TokenRange,
): Command<RevocationCounts> {
  const { userId, client } = scopeOwner(scope);
  const values = { user_id: userId, client, at };
  const attempts = step(sql.failOpen, { ...values, erase: eraseOf(identities) });
  const ends = [
    ...(userId === null
      ? []
      : [step(sql.endSignIns, { id: userId, at }), step(sql.dateBack, { at })]),
    attempts,
    step(sql.eraseFailedLaunchUrls, { at }),
    step(sql.deleteOpenidOf, { user_id: userId, client }),
  ];
  const tokens = step(sql.revokeTokensBetween, { ...values, above, up_to: upTo });
  const row = {
    at,
    action: 'tokens.revoked_all',
    userId,
    client,
    // Only the row of the last page has it: until then the revocation may have been interrupted.
    detail: isLast ? scopeName(scope) : null,
  } as const;
  return {
    steps: isFirst ? [...ends, tokens] : [tokens],
    audit: [entryOfFailed(attempts, at, { userId, client }), entryCounting(tokens, row)],
    touches: 'everything',
    decode: (results) => ({ tokens: results.changes(tokens), attempts: results.changes(attempts) }),
  };
}
