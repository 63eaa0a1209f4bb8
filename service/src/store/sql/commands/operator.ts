import type { AttemptId } from '../../../values/ids.ts';
import type { AuditAnchor, AuditEvent } from '../../../audit/audit.ts';
import type { ProviderCall } from '../../../attempt/provider-call.ts';
import { textOfName, type ProviderName, type StoreBinding } from '../../../values/store-binding.ts';
import type { Ms } from '../../../values/time.ts';
import type {
  ClockStep,
  RowCutoffs,
  RowLimits,
  KeptOut,
  PurgeBounds,
  PurgeCounts,
  RevocationCounts,
  TrimBounds,
  TrimCounts,
} from '../../ports/store.port.ts';
import type { PlannedRecovery } from '../plan-recovery.ts';
import { attemptName, type Command, type Results } from '../command.ts';
import type { CommandParts } from '../engine.ts';
import { eraseOf } from '../identities.ts';
import { bindingToRow } from '../rows/binding.ts';
import { callToRow } from '../rows/calls.ts';
import { userToRow } from '../rows/users.ts';
import { guard, step, type Statement, type Step } from '../statement.ts';
import { entry, entryCounting, entryOfFailed } from '../audit-entry.ts';

export function bindTo({ sql }: CommandParts, binding: StoreBinding, at: Ms): Command<boolean> {
  const insert = guard(sql.insertBinding, bindingToRow(binding));
  return {
    steps: [insert],
    audit: [entry({ at, action: 'store.sealed', detail: binding.mode })],
    touches: 'everything',
    decode: (results) => results.has(insert),
  };
}

/** Adds a name of the provider to what the store says of it, unless another instance has done so. */
export function addProviderName({ sql }: CommandParts, name: ProviderName, at: Ms): Command<void> {
  return {
    steps: [guard(sql.insertProviderName, { ...name })],
    audit: [entry({ at, action: 'store.sealed', detail: textOfName(name) })],
    touches: 'everything',
    decode: () => undefined,
  };
}

export function recordEvent(event: AuditEvent): Command<void> {
  return { steps: [], audit: [entry(event)], touches: [], decode: () => undefined };
}

export function recordCall(
  { sql }: CommandParts,
  attemptId: AttemptId,
  call: ProviderCall,
): Command<void> {
  return {
    steps: [
      guard(sql.insertCall, callToRow(attemptId, call)),
      step(sql.deleteOldCalls, { attempt_id: attemptId }),
    ],
    audit: [],
    touches: [attemptName(attemptId)],
    decode: () => undefined,
  };
}

/**
 * Removes the rows up to the anchor, which is a row of the log, and keeps the proof that this
 * service removed them. Gives the number of removed rows.
 */
export function cutAudit(
  { sql }: CommandParts,
  { count, hash, at: before }: AuditAnchor,
  proof: string,
  at: Ms,
): Command<number> {
  const removed = step(sql.deleteAuditFront, {});
  return {
    steps: [guard(sql.moveAuditAnchor, { sequence: count, hash, before, proof }), removed],
    audit: [entryCounting(removed, { at, action: 'audit.cut' })],
    touches: 'everything',
    decode: (results) => results.changes(removed),
  };
}

export function purge(
  { sql }: CommandParts,
  { expiredBefore, redeemedBefore, limit }: PurgeBounds,
): Command<PurgeCounts> {
  const attempts = step(sql.deleteExpiredAttempts, { before: expiredBefore, limit });
  const tokens = step(sql.deleteExpiredTokens, { before: expiredBefore, limit });
  const seals = step(sql.eraseSeals, { before: redeemedBefore, limit });
  return {
    steps: [
      attempts,
      tokens,
      seals,
      step(sql.eraseIdentifiers, { before: redeemedBefore, limit }),
      step(sql.deleteOldPushes, { before: expiredBefore, limit }),
      step(sql.deleteExpiredOpenid, { before: redeemedBefore, limit }),
    ],
    audit: [],
    // It passes over what others have locked, so that nobody waits for it.
    touches: [],
    decode: (results) => ({
      attempts: results.changes(attempts),
      tokens: results.changes(tokens),
      seals: results.changes(seals),
    }),
  };
}

export function endOverdue({ sql }: CommandParts, { from, to }: ClockStep): Command<void> {
  const times = { at: to, until: from };
  return {
    steps: [step(sql.endOverdueAttempts, times), step(sql.endOverdueTokens, times)],
    audit: [],
    touches: 'everything',
    decode: () => undefined,
  };
}

/**
 * A write, although it changes nothing: SQLite reads on the thread that answers requests, and this
 * passes over as many rows as are kept.
 */
export function findRowCutoffs({ sql }: CommandParts, limits: RowLimits): Command<RowCutoffs> {
  const attempts = nth(sql.selectNthAttempt, limits.attempts);
  const calls = nth(sql.selectNthCall, limits.calls);
  return {
    steps: [...attempts, ...calls],
    audit: [],
    touches: [],
    decode: (results) => ({
      attempts: momentIn(results, attempts),
      calls: momentIn(results, calls),
    }),
  };
}

function nth(statement: Statement<{ readonly offset: number }>, count: number | null): Step[] {
  return count === null ? [] : [step(statement, { offset: count - 1 })];
}

function momentIn(results: Results, steps: readonly Step[]): Ms | null {
  const [row] = steps.map((one) => results.row(one));
  return row === undefined || row === null ? null : Number(row['moment']);
}

export function trim(
  { sql }: CommandParts,
  { attemptsBefore, callsBefore, limit }: TrimBounds,
): Command<TrimCounts> {
  const attempts = step(sql.deleteExpiredAttempts, { before: attemptsBefore, limit });
  const calls = step(sql.deleteCallsBefore, { before: callsBefore, limit });
  return {
    steps: [attempts, calls],
    audit: [],
    // As in `purge`: it passes over what others have locked.
    touches: [],
    decode: (results) => ({
      attempts: results.changes(attempts),
      calls: results.changes(calls),
    }),
  };
}

const ALL_OF_THEM = { before: Number.MAX_SAFE_INTEGER, limit: Number.MAX_SAFE_INTEGER };

export function restore(
  { sql, identities }: CommandParts,
  { at, lastUserId, toDisable, toAdd }: PlannedRecovery,
  keptOut: readonly KeptOut[],
): Command<RevocationCounts> {
  const everybody = { user_id: null, client: null, at };
  const attempts = step(sql.failOpen, { ...everybody, erase: eraseOf(identities) });
  const tokens = step(sql.revokeTokens, everybody);
  const added = toAdd.map((user) => userToRow({ ...user, disabledAt: at }, identities));
  const disabled = [...toDisable, ...toAdd.map(({ id }) => id)];
  return {
    steps: [
      attempts,
      tokens,
      step(sql.eraseSeals, ALL_OF_THEM),
      step(sql.eraseLaunchUrls, {}),
      step(sql.deleteOpenidOf, { user_id: null, client: null }),
      ...toDisable.map((id) => step(sql.disableUser, { id, at })),
      ...added.map((row) => step(sql.insertUser, row)),
      ...keptOut.map(({ digest, key, since }) =>
        step(sql.insertKeptOut, { identity_digest: digest, vault_key: key, erased_at: since }),
      ),
      step(sql.raiseLastUserId, { last: lastUserId }),
    ],
    audit: [
      entryOfFailed(attempts, at),
      entryCounting(tokens, { at, action: 'store.restored' }),
      ...disabled.map((userId) => entry({ at, action: 'user.disabled', userId })),
    ],
    touches: 'everything',
    decode: (results) => ({ tokens: results.changes(tokens), attempts: results.changes(attempts) }),
  };
}
