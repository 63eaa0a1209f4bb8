import type { AttemptId } from '../../../values/ids.ts';
import type { AttemptRecord } from '../../../attempt/attempt.ts';
import type { Digest } from '../../../values/secret.ts';
import type { ErrorCode } from '../../../errors/catalogue.ts';
import type { Ms } from '../../../values/time.ts';
import type { KeepTokens, OpenTransaction, ReplaceSession } from '../../ports/store.port.ts';
import { attemptName, type Command } from '../command.ts';
import type { CommandParts } from '../engine.ts';
import { eraseOf } from '../identities.ts';
import { attemptFromRow } from '../rows/attempts.ts';
import {
  approvalSeenFromRow,
  keptTokensToRow,
  sessionToRow,
  transactionToRow,
} from '../rows/transactions.ts';
import { guard, step, type Step } from '../statement.ts';
import { entryAbout } from '../audit-entry.ts';

/** What happens between an attempt and the provider. */

export function openTransaction(
  { sql, identities }: CommandParts,
  { attemptId, at, transaction, bindingCode, providerExpiresAt }: OpenTransaction,
): Command<AttemptRecord | null> {
  const row = transactionToRow(attemptId, transaction, identities);
  const opened = step(sql.markOpened, {
    attempt_id: attemptId,
    binding_code: bindingCode,
    provider_expires_at: providerExpiresAt,
  });
  return {
    steps: [guard(sql.insertTransaction, { ...row, at }), opened],
    audit: [],
    touches: [attemptName(attemptId)],
    decode: (results) => {
      const attempt = results.row(opened);
      return attempt === null ? null : attemptFromRow(attempt, identities);
    },
  };
}

export function bindBrowser(
  { sql }: CommandParts,
  attemptId: AttemptId,
  browserDigest: Digest,
  at: Ms,
): Command<boolean> {
  const moment = { attempt_id: attemptId, at };
  return happens(attemptId, guard(sql.bindBrowser, { ...moment, browser_digest: browserDigest }));
}

export function replaceSession(
  { sql, identities }: CommandParts,
  { attemptId, at, session, browserDigest }: ReplaceSession,
): Command<boolean> {
  const replace = guard(sql.replaceSession, {
    ...sessionToRow(attemptId, session, identities),
    attempt_id: attemptId,
    browser_digest: browserDigest,
    at,
  });
  return happens(attemptId, replace);
}

/** The attempt's own row changes only if the attempt is already authenticated. */
export function spoilAttempt(
  { sql, identities }: CommandParts,
  attemptId: AttemptId,
  at: Ms,
): Command<boolean> {
  const moment = { attempt_id: attemptId, at };
  const reason = 'callback.browser_mismatch' satisfies ErrorCode;
  const spoil = guard(sql.markSpoiled, moment);
  const attempt = step(sql.selectAttempt, { attempt_id: attemptId });
  return {
    steps: [
      spoil,
      step(sql.failAuthenticated, { ...moment, reason, erase: eraseOf(identities) }),
      attempt,
    ],
    audit: [entryAbout(attempt, 'attempt.spoiled', at)],
    touches: [attemptName(attemptId)],
    decode: (results) => results.has(spoil),
  };
}

export function expirePush({ sql }: CommandParts, attemptId: AttemptId, at: Ms): Command<boolean> {
  return happens(attemptId, guard(sql.expirePush, { attempt_id: attemptId, at }));
}

export function recordApprovalSeen(
  { sql }: CommandParts,
  attemptId: AttemptId,
  at: Ms,
): Command<Ms | null> {
  const record = guard(sql.recordApprovalSeen, { attempt_id: attemptId, at });
  return {
    steps: [record],
    audit: [],
    touches: [attemptName(attemptId)],
    decode: (results) => {
      const row = results.row(record);
      return row === null ? null : approvalSeenFromRow(row);
    },
  };
}

export function keepTokens(
  { sql, identities }: CommandParts,
  { attemptId, at, tokens }: KeepTokens,
): Command<boolean> {
  const kept_tokens = keptTokensToRow(attemptId, tokens, identities);
  return happens(attemptId, guard(sql.keepTokens, { attempt_id: attemptId, at, kept_tokens }));
}

export function dropLateTokens({ sql }: CommandParts, at: Ms): Command<void> {
  return {
    steps: [step(sql.dropLateTokens, { at })],
    audit: [],
    touches: [],
    decode: () => undefined,
  };
}

/** Gives true if the guard was satisfied. */
function happens(attemptId: AttemptId, change: Step): Command<boolean> {
  return {
    steps: [change],
    audit: [],
    touches: [attemptName(attemptId)],
    decode: (results) => results.has(change),
  };
}
