import type { AttemptId } from '../../../values/ids.ts';
import type { AttemptRecord } from '../../../attempt/attempt.ts';
import type { ChangeAction } from '../../../audit/audit.ts';
import type { Ms } from '../../../values/time.ts';
import type { CancelAttempt, EndAttempt, RotateCompletion } from '../../ports/store.port.ts';
import { attemptName, type Command } from '../command.ts';
import type { CommandParts } from '../engine.ts';
import { eraseOf } from '../identities.ts';
import { attemptFromRow, attemptToRow } from '../rows/attempts.ts';
import { guard, step, type Step } from '../statement.ts';
import { entryAbout } from '../audit-entry.ts';

/** Touches nothing that is there already. */
export function insertAttempt(
  { sql, identities }: CommandParts,
  attempt: AttemptRecord,
): Command<void> {
  return {
    steps: [step(sql.insertAttempt, attemptToRow(attempt, identities))],
    audit: [],
    touches: [],
    decode: () => undefined,
  };
}

export function rejectAttempt(parts: CommandParts, { attemptId, at, reason }: EndAttempt) {
  const erase = eraseOf(parts.identities);
  const end = guard(parts.sql.rejectAttempt, { attempt_id: attemptId, at, reason, erase });
  const rejected = changeAttempt(parts, attemptId, end, { action: 'attempt.rejected', at });
  return andEraseLaunchUrl(parts, attemptId, rejected);
}

export function failAttempt(parts: CommandParts, { attemptId, at, reason }: EndAttempt) {
  const erase = eraseOf(parts.identities);
  const end = guard(parts.sql.failAttempt, { attempt_id: attemptId, at, reason, erase });
  const failed = changeAttempt(parts, attemptId, end, { action: 'attempt.failed', at });
  return andEraseLaunchUrl(parts, attemptId, failed);
}

export function cancelAttempt(parts: CommandParts, { attemptId, at }: CancelAttempt) {
  const erase = eraseOf(parts.identities);
  const end = guard(parts.sql.cancelAttempt, { attempt_id: attemptId, at, erase });
  const cancelled = changeAttempt(parts, attemptId, end, { action: 'attempt.rejected', at });
  return andEraseLaunchUrl(parts, attemptId, cancelled);
}

/**
 * The address contains the provider's state, and is of no use once the attempt has ended. The step
 * comes after the guard of the command, so it runs only where the attempt has really ended.
 */
function andEraseLaunchUrl<Result>(
  { sql }: CommandParts,
  attemptId: AttemptId,
  command: Command<Result>,
): Command<Result> {
  const erase = step(sql.eraseLaunchUrl, { attempt_id: attemptId });
  return { ...command, steps: [...command.steps, erase] };
}

export function countWrongCode(parts: CommandParts, attemptId: AttemptId, at: Ms) {
  const erase = eraseOf(parts.identities);
  const count = guard(parts.sql.countWrongCode, { attempt_id: attemptId, at, erase });
  return changeAttempt(parts, attemptId, count, { action: 'attempt.completion_missed', at });
}

export function rotateCompletion(
  parts: CommandParts,
  { attemptId, at, completion }: RotateCompletion,
) {
  const rotate = guard(parts.sql.rotateCompletion, {
    attempt_id: attemptId,
    at,
    completion_digest: completion.digest,
    completion_expires_at: completion.expiresAt,
  });
  return changeAttempt(parts, attemptId, rotate, null);
}

export function missReplay({ sql }: CommandParts, attemptId: AttemptId): Command<void> {
  return {
    steps: [step(sql.missReplay, { attempt_id: attemptId })],
    audit: [],
    touches: [attemptName(attemptId)],
    decode: () => undefined,
  };
}

interface Logged {
  readonly action: ChangeAction;
  readonly at: Ms;
}

/** One guarded statement that returns the attempt's row as it is now. */
function changeAttempt(
  { identities }: CommandParts,
  attemptId: AttemptId,
  change: Step,
  logged: Logged | null,
): Command<AttemptRecord | null> {
  return {
    steps: [change],
    audit: logged === null ? [] : [entryAbout(change, logged.action, logged.at)],
    touches: [attemptName(attemptId)],
    decode: (results) => {
      const row = results.row(change);
      return row === null ? null : attemptFromRow(row, identities);
    },
  };
}
