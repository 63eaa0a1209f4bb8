import type { ApiTokenRecord } from '../../src/account/api-token.ts';
import type { AttemptId } from '../../src/values/ids.ts';
import type { AttemptRecord } from '../../src/attempt/attempt.ts';
import type { ChangeAction } from '../../src/audit/audit.ts';
import type { Ms } from '../../src/values/time.ts';
import type {
  AttemptStore,
  AttemptWithUser,
  AuthenticateAttempt,
  CancelAttempt,
  RedeemAttempt,
  RotateCompletion,
} from '../../src/store/ports/store.port.ts';
import {
  authenticated,
  cancelled,
  failed,
  isEndedFor,
  isProven,
  redeemed,
  rejected,
  withWrongCode,
} from './rules.ts';
import type { OpenTables, Tables } from './tables.ts';
import { beginFor } from './openid.ts';
import type { TransactionStore } from './transactions.ts';

/** Attempts without their transactions with a provider, which transactions.ts has. */
export function attemptStore(tables: OpenTables): Omit<AttemptStore, keyof TransactionStore> {
  return {
    insertAttempt: async (attempt, begunFor) => {
      if (!beginFor(tables(), attempt.attemptId, begunFor)) return false;
      tables().attempts.add(attempt);
      return true;
    },
    findAttempt: async (attemptId) => findAttempt(tables(), attemptId),
    findProvenAttempt: async (attemptId, tokenDigest) => {
      const found = findAttempt(tables(), attemptId);
      return found !== null && isProven(found.attempt, tokenDigest) ? found : null;
    },
    pendingAttempts: async (now, limit, scope) => tables().attempts.pending(now, limit, scope),
    newestAttempts: async (limit, scope, before) => tables().attempts.newest(limit, scope, before),
    authenticateAttempt: async (change) => authenticateAttempt(tables(), change),
    rejectAttempt: async (end) =>
      endAttempt(tables(), end, 'attempt.rejected', (from) => rejected(from, end.at, end.reason)),
    failAttempt: async (end) =>
      endAttempt(tables(), end, 'attempt.failed', (from) => failed(from, end.at, end.reason)),
    cancelAttempt: async (end) =>
      endAttempt(tables(), end, 'attempt.rejected', (from) => cancelled(from, end.at)),
    countWrongCode: async (attemptId, at) =>
      changeAttempt(tables(), attemptId, at, 'attempt.completion_missed', (from) =>
        withWrongCode(from, at),
      ),
    redeemAttempt: async (change) => redeemAttempt(tables(), change),
    missReplay: async (attemptId) => missReplay(tables(), attemptId),
    rotateCompletion: async (change) => rotateCompletion(tables(), change),
  };
}

function findAttempt({ attempts, users }: Tables, attemptId: AttemptId): AttemptWithUser | null {
  const attempt = attempts.get(attemptId);
  return attempt === null ? null : { attempt, user: users.get(attempt.userId) };
}

/** Null, and no row in the audit log, if the transition is refused. */
function changeAttempt(
  { attempts, audit }: Tables,
  attemptId: AttemptId,
  at: Ms,
  action: ChangeAction,
  transition: (from: AttemptRecord) => AttemptRecord | null,
): AttemptRecord | null {
  const changed = attempts.change(attemptId, transition);
  if (changed !== null) audit.appendAttempt(action, at, changed);
  return changed;
}

/** Also erases the launch address, which is of no use once the attempt has ended. */
function endAttempt(
  tables: Tables,
  { attemptId, at }: CancelAttempt,
  action: ChangeAction,
  transition: (from: AttemptRecord) => AttemptRecord | null,
): AttemptRecord | null {
  const ended = changeAttempt(tables, attemptId, at, action, transition);
  if (ended !== null) tables.transactions.eraseLaunchUrl(attemptId);
  return ended;
}

function authenticateAttempt(tables: Tables, change: AuthenticateAttempt): AttemptWithUser | null {
  const { attemptId, at, pushesOf, keeps = null } = change;
  const { transactions, users, pushes } = tables;
  if (transactions.isSpoiled(attemptId)) return null;
  const user = users.after(change);
  const begun = tables.attempts.get(attemptId);
  if (begun === null || isEndedFor(user, begun)) return null;
  const attempt = changeAttempt(tables, attemptId, at, 'attempt.authenticated', (from) =>
    authenticated(from, { ...change, userId: user.id }),
  );
  if (attempt === null) return null;
  users.keep(user);
  transactions.eraseLaunchUrl(attemptId);
  for (const digest of pushesOf) pushes.forget(digest);
  if (keeps !== null) {
    const subject = users.nameSubject(user.id, keeps.subject);
    const rest = { client: attempt.client, attemptId: null, consumedAt: null, grant: null };
    tables.openid.keep({ ...keeps.record, ...rest, subject });
  }
  return { attempt, user };
}

function redeemAttempt(tables: Tables, change: RedeemAttempt): ApiTokenRecord | null {
  const { attemptId, tokenDigest, at, token: fields } = change;
  const found = findAttempt(tables, attemptId);
  if (found === null || !isProven(found.attempt, tokenDigest)) return null;
  const { user } = found;
  if (user === null || user.disabledAt !== null || isEndedFor(user, found.attempt)) return null;
  const attempt = changeAttempt(tables, attemptId, at, 'token.issued', (from) =>
    redeemed(from, change),
  );
  if (attempt === null) return null;
  const { client } = attempt;
  const token = { ...fields, attemptId, userId: user.id, client, revokedAt: null };
  tables.tokens.add(token);
  return token;
}

function missReplay({ attempts }: Tables, attemptId: AttemptId): void {
  const attempt = attempts.get(attemptId);
  const seal = attempt?.redemption ?? null;
  if (attempt === null || seal === null) return;
  attempts.replace({ ...attempt, redemption: { ...seal, misses: seal.misses + 1 } });
}

function rotateCompletion(
  { attempts }: Tables,
  { attemptId, at, completion }: RotateCompletion,
): AttemptRecord | null {
  const attempt = attempts.getIn('authenticated', attemptId, at);
  if (attempt === null) return null;
  const { digest: completionDigest, expiresAt: completionExpiresAt } = completion;
  const rotated = { ...attempt, completionDigest, completionExpiresAt };
  attempts.replace(rotated);
  return rotated;
}
