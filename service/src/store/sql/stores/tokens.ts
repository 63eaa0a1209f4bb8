import {
  type ApiTokenId,
  type ApiTokenRecord,
  parseApiTokenId,
} from '../../../account/api-token.ts';
import { parseUserId } from '../../../account/user.ts';
import { parseAttemptId } from '../../../values/ids.ts';
import { parseDigest } from '../../../values/secret.ts';
import type { Ms } from '../../../values/time.ts';
import type {
  AttemptStore,
  RedeemAttempt,
  RevocationCounts,
  RevocationScope,
  RevokedPage,
  TokenOwner,
  TokenPage,
  TokenStore,
  TokenWithUser,
} from '../../ports/store.port.ts';
import { entryAbout, entryCounting, entryOfFailed } from '../audit-rows.ts';
import type { CommandParts, SqlParts } from '../engine.ts';
import { eraseOf } from '../identities.ts';
import { scopeName, scopeOwner } from '../decide/revocation-scope.ts';
import type { ApiTokenRow } from '../schema.ts';
import {
  all,
  attemptName,
  type Command,
  guard,
  one,
  type Read,
  RowReader,
  type SqlRow,
  step,
  tokenName,
} from '../statement.ts';
import { replaySealToRow } from './attempts.ts';
import { userWith } from './users.ts';
import { endOpenid } from './openid-ends.ts';

/** Ids consist of digits, lower-case letters and dashes. */
const BELOW_ALL_IDS = '';
const ABOVE_ALL_IDS = '~';

export function tokenStore(parts: SqlParts): TokenStore & Pick<AttemptStore, 'redeemAttempt'> {
  const { engine, sql } = parts;
  return {
    redeemAttempt: (change) => engine.run(redeemAttempt(parts, change)),
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

/** The token is issued and its attempt redeemed, or neither. */
function redeemAttempt(
  { sql }: CommandParts,
  change: RedeemAttempt,
): Command<ApiTokenRecord | null> {
  const { attemptId, at, token: fields } = change;
  const token = guard(sql.insertRedeemedToken, {
    attempt_id: attemptId,
    attempt_token_digest: change.tokenDigest,
    completion_digest: change.completionDigest,
    at,
    token_id: fields.tokenId,
    token_digest: fields.tokenDigest,
    device_name: fields.deviceName,
    created_at: fields.createdAt,
    expires_at: fields.expiresAt,
  });
  const seal = replaySealToRow(change.seal);
  return {
    steps: [token, step(sql.markRedeemed, { attempt_id: attemptId, at, ...seal })],
    audit: [entryAbout(token, 'token.issued', at)],
    touches: [attemptName(attemptId)],
    decode: (results) => {
      const row = results.row(token);
      return row === null ? null : { ...fields, ...issueFromRow(row), revokedAt: null };
    },
  };
}

/** One statement decides which of several revocations at once is the first. */
function revokeToken(
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
function revokeAll(
  parts: CommandParts,
  at: Ms,
  scope: RevocationScope,
  { above, upTo, isFirst, isLast }: TokenRange,
): Command<RevocationCounts> {
  const { sql, identities, receivers } = parts;
  const { userId, client } = scopeOwner(scope);
  const values = { user_id: userId, client, at };
  const attempts = step(sql.failOpen, { ...values, erase: eraseOf(identities) });
  const ends = [
    ...(userId === null
      ? []
      : [step(sql.endSignIns, { id: userId, at }), step(sql.dateBack, { at })]),
    attempts,
    step(sql.eraseFailedLaunchUrls, { at }),
    ...endOpenid(parts, { userId, client }, at),
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
  const command: Command<RevocationCounts> = {
    steps: isFirst ? [...ends, tokens] : [tokens],
    audit: [entryOfFailed(attempts, at, { userId, client }), entryCounting(tokens, row)],
    touches: 'everything',
    decode: (results) => ({ tokens: results.changes(tokens), attempts: results.changes(attempts) }),
  };
  const range = { above, up_to: upTo };
  const revoked = receivers.told(command, 'tokens.revoked', (told) =>
    step(sql.noteRevoked, { ...values, ...range, receivers: told }),
  );
  if (!isFirst) return revoked;
  return receivers.told(revoked, 'attempt.failed', (told) =>
    step(sql.noteFailed, { ...values, receivers: told }),
  );
}

export function apiTokenFromRow(row: SqlRow): ApiTokenRecord {
  const read = new RowReader<ApiTokenRow>('api_tokens', row);
  return {
    tokenId: read.parsed('token_id', parseApiTokenId),
    tokenDigest: read.parsed('token_digest', parseDigest),
    attemptId: read.parsed('attempt_id', parseAttemptId),
    userId: read.id('user_id', parseUserId),
    client: read.text('client'),
    deviceName: read.textOrNull('device_name'),
    createdAt: read.integer('created_at'),
    expiresAt: read.integer('expires_at'),
    revokedAt: read.integerOrNull('revoked_at'),
  };
}

function tokenIdFromRow(row: SqlRow): ApiTokenId {
  return new RowReader<ApiTokenRow>('api_tokens', row).parsed('token_id', parseApiTokenId);
}

/** What a token takes from the attempt that it is issued for. */
function issueFromRow(row: SqlRow): Pick<ApiTokenRecord, 'attemptId' | 'userId' | 'client'> {
  const read = new RowReader<ApiTokenRow>('api_tokens', row);
  return {
    attemptId: read.parsed('attempt_id', parseAttemptId),
    userId: read.id('user_id', parseUserId),
    client: read.text('client'),
  };
}
