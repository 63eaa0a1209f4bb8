import type {
  AttemptWithUser,
  AuthenticateAttempt,
  RedeemAttempt,
} from '../../ports/store.port.ts';
import type { ApiTokenRecord } from '../../../account/api-token.ts';
import { attemptName, BUDGETS, personName, type Command } from '../command.ts';
import type { CommandParts } from '../engine.ts';
import { eraseOf } from '../identities.ts';
import { issueFromRow } from '../rows/api-tokens.ts';
import { attemptFromRow, replaySealToRow } from '../rows/attempts.ts';
import { personToRow, userFromRow } from '../rows/users.ts';
import { guard, step, type Step } from '../statement.ts';
import { entryAbout } from '../audit-entry.ts';
import { adoptKeptOut } from './personal-data.ts';

/**
 * Also removes what a finished login no longer needs. It is one command, so there is only one
 * commit and a crash leaves nothing behind.
 */
export function authenticateAttempt(
  { sql, identities }: CommandParts,
  change: AuthenticateAttempt,
): Command<AttemptWithUser | null> {
  const { attemptId, flow, at, completion } = change;
  const person = personToRow(change.person, identities);
  const { identity_digest } = person;
  const moment = { attempt_id: attemptId, flow, at };
  const retired = identities.retiredDigestsOf(change.person);
  const adoptions = adoptPerson({ sql, identities }, change, retired);
  const user = guard(sql.upsertUser, {
    ...person,
    ...moment,
    preferred_locale: change.preferredLocale,
  });
  const attempt = guard(sql.authenticateAttempt, {
    ...moment,
    identity_digest,
    erase: eraseOf(identities),
    completion_digest: completion?.digest ?? null,
    completion_expires_at: completion?.expiresAt ?? null,
  });
  return {
    steps: [...adoptions, user, attempt, ...cleanUp({ sql, identities }, change)],
    audit: [entryAbout(attempt, 'attempt.authenticated', at)],
    touches: [
      attemptName(attemptId),
      ...[identity_digest, ...retired].map((digest) => personName(digest)),
      ...(change.pushesOf.length === 0 ? [] : [BUDGETS]),
    ],
    decode: (results) => {
      const [userRow, attemptRow] = [results.row(user), results.row(attempt)];
      if (userRow === null || attemptRow === null) return null;
      return {
        attempt: attemptFromRow(attemptRow, identities),
        user: userFromRow(userRow, identities),
      };
    },
  };
}

/**
 * For a person who is stored under an earlier key. The guards come first, because a person who was
 * adopted has to be sealed anew in the same unit.
 */
function adoptPerson(
  { sql, identities }: CommandParts,
  { attemptId: attempt_id, flow, at, person }: AuthenticateAttempt,
  retired: readonly string[],
): Step[] {
  const identity_digest = identities.digestOf(person);
  return [
    ...retired.map((digest) =>
      guard(sql.selectBegunAfterEnd, { attempt_id, identity_digest: digest }),
    ),
    ...retired.map((retired_digest) =>
      step(sql.adoptUser, { attempt_id, flow, at, identity_digest, retired_digest }),
    ),
    ...adoptKeptOut({ sql, identities }, person),
  ];
}

/** What nobody needs any more after the login. */
function cleanUp({ sql }: CommandParts, { attemptId, pushesOf }: AuthenticateAttempt): Step[] {
  const erase = step(sql.eraseLaunchUrl, { attempt_id: attemptId });
  return [erase, ...pushesOf.map((digest) => step(sql.forgetPushes, { person_digest: digest }))];
}

export function redeemAttempt(
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
