import type { AttemptId } from '../domain/attempt-id.ts';
import type { AttemptRecord } from '../domain/attempt.ts';
import type { ApiTokenId } from '../domain/api-token.ts';
import type { Ms } from '../domain/time.ts';
import type { UserId } from '../domain/user.ts';
import type {
  AuthenticateAttempt,
  EndAttempt,
  PurgeBounds,
  RedeemAttempt,
} from '../ports/store.ts';
import { attemptToRow, personToRow, sealToRow } from './rows.ts';
import type { Statements } from './queries/index.ts';
import { guard, step, type Unit } from './statement.ts';

/**
 * Every write as a list of guarded statements. None needs a decision between its steps, so a whole
 * list travels to the writer at once, and the same lists can serve another database.
 */
export function unitsOf(sql: Statements) {
  return {
    insertAttempt: (attempt: AttemptRecord): Unit => [
      step(sql.insertAttempt, attemptToRow(attempt)),
    ],
    authenticateAttempt: (change: AuthenticateAttempt) => authenticate(sql, change),
    rejectAttempt: (change: EndAttempt): Unit => [guard(sql.rejectAttempt, endValues(change))],
    failAttempt: (change: EndAttempt): Unit => [guard(sql.failAttempt, endValues(change))],
    missCompletion: (attemptId: AttemptId, at: Ms): Unit => [
      guard(sql.missCompletion, { attempt_id: attemptId, at }),
    ],
    redeemAttempt: (change: RedeemAttempt) => redeem(sql, change),
    missReplay: (attemptId: AttemptId): Unit => [step(sql.missReplay, { attempt_id: attemptId })],
    revokeToken: (tokenId: ApiTokenId, userId: UserId, at: Ms): Unit => [
      step(sql.revokeToken, { token_id: tokenId, user_id: userId, at }),
    ],
    purge: (bounds: PurgeBounds) => purge(sql, bounds),
  };
}

function endValues({ attemptId, at, reason }: EndAttempt) {
  return { attempt_id: attemptId, at, reason };
}

/** Returns the user's row, then the attempt's. */
function authenticate(sql: Statements, change: AuthenticateAttempt): Unit {
  const { attemptId, flow, at, completion } = change;
  const person = personToRow(change.person);
  const moment = { attempt_id: attemptId, flow, at };
  return [
    guard(sql.upsertUser, { ...person, ...moment, preferred_locale: change.preferredLocale }),
    guard(sql.authenticateAttempt, {
      ...moment,
      issuer: person.issuer,
      document_type: person.document_type,
      document_number: person.document_number,
      completion_digest: completion?.digest ?? null,
      completion_expires_at: completion?.expiresAt ?? null,
    }),
  ];
}

/** Returns the token's row, nothing for the attempt, then the user's row. */
function redeem(sql: Statements, change: RedeemAttempt): Unit {
  const { attemptId, at, token } = change;
  return [
    guard(sql.insertRedeemedToken, {
      attempt_id: attemptId,
      attempt_token_digest: change.tokenDigest,
      completion_digest: change.completionDigest,
      at,
      token_id: token.tokenId,
      token_digest: token.tokenDigest,
      device_name: token.deviceName,
      created_at: token.createdAt,
      expires_at: token.expiresAt,
    }),
    step(sql.markRedeemed, { attempt_id: attemptId, at, ...sealToRow(change.seal) }),
    step(sql.selectUserOfAttempt, { attempt_id: attemptId }),
  ];
}

/** Counts attempts, tokens and seals, in this order. */
function purge(sql: Statements, { expiredBefore, redeemedBefore, limit }: PurgeBounds): Unit {
  return [
    step(sql.deleteExpiredAttempts, { before: expiredBefore, limit }),
    step(sql.deleteExpiredTokens, { before: expiredBefore, limit }),
    step(sql.eraseSeals, { before: redeemedBefore, limit }),
  ];
}
