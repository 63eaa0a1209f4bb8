import { parseAttemptId } from '../../src/values/ids.ts';
import type { ProviderCall } from '../../src/attempt/provider-call.ts';
import {
  newNames,
  textOfName,
  withNames,
  type StoreBinding,
} from '../../src/values/store-binding.ts';
import type { Ms } from '../../src/values/time.ts';
import type {
  Bound,
  ClockStep,
  RowCutoffs,
  RowLimits,
  OperatorStore,
  PurgeBounds,
  PurgeCounts,
  Recovery,
  RecoveryCounts,
  TrimBounds,
  TrimCounts,
} from '../../src/store/ports/store.port.ts';
import { requireBinding } from '../../src/store/sql/decide/binding-check.ts';
import { planRecovery } from '../../src/store/sql/decide/plan-recovery.ts';
import type { OpenTables, Tables } from './tables.ts';
import { logFailed } from './tokens.ts';

export function operatorStore(tables: OpenTables): OperatorStore {
  return {
    bindTo: async (binding, at) => bindTo(tables(), binding, at),
    restore: async (change) => restore(tables(), change),
    recordCall: async (call) => recordCall(tables(), call),
    listCalls: async (attemptId) => tables().calls.of(attemptId),
    recordEvent: async (event) => tables().audit.append(event),
    // The key is the same for as long as the rows exist.
    canVerifyAudit: async () => {
      tables();
      return true;
    },
    auditHead: async () => tables().audit.head,
    containsHead: async (head) => tables().audit.contains(head),
    knowsHead: async (head) => tables().audit.knows(head),
    isBehind: async () => tables().audit.isBehind,
    lastSuccesses: async () => tables().audit.lastSuccesses,
    cutAudit: async (cut) => tables().audit.cut(cut),
    readAudit: async (query) => tables().audit.read(query),
    verifyAudit: async () => tables().audit.verify(),
    purge: async (bounds) => purge(tables(), bounds),
    endOverdue: async (change) => endOverdue(tables(), change),
    findRowCutoffs: async (limits) => findRowCutoffs(tables(), limits),
    trim: async (bounds) => trim(tables(), bounds),
  };
}

function bindTo(tables: Tables, wish: StoreBinding, at: Ms): Bound {
  const { attempts, users, tokens, audit } = tables;
  const isEmpty = attempts.isEmpty && users.isEmpty && tokens.isEmpty;
  const isFirst = tables.binding === null && isEmpty;
  if (isFirst) {
    tables.binding = wish;
    audit.append({ at, action: 'store.sealed', detail: wish.mode });
  }
  const found = requireBinding(tables.binding, wish);
  const names = newNames(found, wish);
  for (const name of names) audit.append({ at, action: 'store.sealed', detail: textOfName(name) });
  const binding = withNames(found, names);
  tables.binding = binding;
  return { isFirst, binding };
}

function restore(tables: Tables, change: Recovery): RecoveryCounts {
  const { attempts, tokens, transactions, audit } = tables;
  const { at } = change;
  const failed = attempts.failEach(at, () => true).length;
  const everything = { after: null, limit: Number.MAX_SAFE_INTEGER };
  const revoked = tokens.revokeAll('all', everything, at).length;
  logFailed(tables, failed, at);
  audit.append({ at, action: 'store.restored', count: revoked });
  attempts.eraseSeals(Number.MAX_SAFE_INTEGER, Number.MAX_SAFE_INTEGER);
  transactions.eraseLaunchUrls();
  tables.openid.endOf(null, null);
  const disabled = disableAgain(tables, change);
  return { tokens: revoked, attempts: failed, disabled };
}

/** @returns how many users are disabled by this call */
function disableAgain({ users, audit }: Tables, change: Recovery): number {
  const { at } = change;
  const keptOut = change.keptOut.map((one) => users.keepOutAgain(one));
  const known = [
    ...change.disabled.map((user) => users.ofPerson(user)),
    ...keptOut.filter((user) => user !== null),
  ];
  const { toDisable, toAdd, lastUserId } = planRecovery(change, known, users.lastId);
  for (const id of toDisable) users.disable(id, at);
  for (const user of toAdd) users.keep({ ...user, disabledAt: at });
  users.lastId = lastUserId;
  const ids = [...toDisable, ...toAdd.map(({ id }) => id)];
  for (const userId of ids) audit.append({ at, action: 'user.disabled', userId });
  return ids.length;
}

/** A call without an attempt, or with an unknown one, is not kept. */
function recordCall({ attempts, calls }: Tables, call: ProviderCall): void {
  const attemptId = parseAttemptId(call.requestId ?? '');
  if (attemptId !== null && attempts.get(attemptId) !== null) calls.add(attemptId, call);
}

function purge(tables: Tables, bounds: PurgeBounds): PurgeCounts {
  const { expiredBefore, redeemedBefore, limit } = bounds;
  const { attempts, tokens, pushes, openid } = tables;
  const purged = removeExpired(tables, expiredBefore, limit);
  attempts.eraseIdentifiers(redeemedBefore, limit);
  pushes.purge(expiredBefore, limit);
  return {
    attempts: purged,
    tokens: tokens.purge(expiredBefore, limit),
    seals: attempts.eraseSeals(redeemedBefore, limit),
    openid: openid.purge(redeemedBefore, limit),
  };
}

function endOverdue({ attempts, tokens }: Tables, { from, to }: ClockStep): void {
  attempts.endOverdue(from, to);
  tokens.endOverdue(from, to);
}

/** @returns how many were removed */
function removeExpired({ attempts, transactions, calls }: Tables, before: Ms, limit: number) {
  const removed = attempts.purge(before, limit);
  for (const attemptId of removed) {
    transactions.delete(attemptId);
    calls.delete(attemptId);
  }
  return removed.length;
}

function findRowCutoffs({ attempts, calls }: Tables, limits: RowLimits): RowCutoffs {
  return {
    attempts: nthLatest(attempts.expiries, limits.attempts),
    calls: nthLatest(calls.times, limits.calls),
  };
}

function nthLatest(times: readonly Ms[], count: number | null): Ms | null {
  const latestFirst = times.toSorted((one, other) => other - one);
  return count === null ? null : (latestFirst[count - 1] ?? null);
}

function trim(tables: Tables, { attemptsBefore, callsBefore, limit }: TrimBounds): TrimCounts {
  const removed = removeExpired(tables, attemptsBefore, limit);
  return { attempts: removed, calls: tables.calls.purge(callsBefore, limit) };
}
