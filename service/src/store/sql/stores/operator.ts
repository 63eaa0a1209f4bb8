import type { User } from '../../../account/user.ts';
import {
  boundedCall,
  parseCallContent,
  parseCallQuery,
  type ProviderCall,
} from '../../../attempt/provider-call.ts';
import type { AuditEvent } from '../../../audit/audit.ts';
import { isErrorCode } from '../../../errors/catalogue.ts';
import { type AttemptId, parseAttemptId } from '../../../values/ids.ts';
import {
  MODES,
  newNames,
  PROVIDER_NAME_KINDS,
  type ProviderName,
  type StoreBinding,
  textOfName,
  withNames,
} from '../../../values/store-binding.ts';
import type { Ms } from '../../../values/time.ts';
import type {
  Bound,
  ClockStep,
  KeptOut,
  OperatorStore,
  PurgeBounds,
  PurgeCounts,
  Recovery,
  RecoveryCounts,
  RevocationCounts,
  RowCutoffs,
  RowLimits,
  TrimBounds,
  TrimCounts,
} from '../../ports/store.port.ts';
import { entry, entryCounting, entryOfFailed } from '../audit-rows.ts';
import { requireBinding } from '../decide/binding-check.ts';
import type { CommandParts, SqlParts } from '../engine.ts';
import { eraseOf } from '../identities.ts';
import { type PlannedRecovery, planRecovery } from '../decide/plan-recovery.ts';
import type { BindingRow, CallRow, ProviderNameRow } from '../schema.ts';
import {
  all,
  attemptName,
  type Command,
  guard,
  one,
  type Read,
  type Results,
  RowReader,
  type SqlRow,
  type Statement,
  step,
  type Step,
} from '../statement.ts';
import { ALL_RECORDS } from './openid-ends.ts';
import { auditMethods } from './audit.ts';
import { readLastUserId, userOfPerson, usersWhere, userToRow } from './users.ts';

export function operatorStore(parts: SqlParts): OperatorStore {
  const { engine, sql } = parts;
  return {
    bindTo: (binding, at) => bindOnce(parts, binding, at),
    restore: (change) => restoreOnto(parts, change),
    recordCall: async (call) => {
      const attemptId = parseAttemptId(call.requestId ?? '');
      if (attemptId !== null) await engine.run(recordCall(parts, attemptId, call));
    },
    listCalls: async (attemptId) => {
      const rows = await engine.read(all(sql.selectCalls, { attempt_id: attemptId }));
      return rows.map((row) => callFromRow(row));
    },
    recordEvent: (event) => engine.run(recordEvent(event)),
    purge: (bounds) => engine.run(purge(parts, bounds)),
    endOverdue: (change) => engine.run(endOverdue(parts, change)),
    findRowCutoffs: (limits) => engine.run(findRowCutoffs(parts, limits)),
    trim: (bounds) => engine.run(trim(parts, bounds)),
    ...auditMethods(parts),
  };
}

async function bindOnce(parts: SqlParts, wish: StoreBinding, at: Ms): Promise<Bound> {
  const { engine } = parts;
  const isFirst = await engine.run(bindTo(parts, wish, at));
  const found = requireBinding(await engine.read(bindingIn(parts)), wish);
  const names = newNames(found, wish);
  for (const name of names) await engine.run(addProviderName(parts, name, at));
  return { isFirst, binding: withNames(found, names) };
}

/** What the store is for; null for one that does not say so. */
export function* bindingIn({ sql }: Pick<SqlParts, 'sql'>): Read<StoreBinding | null> {
  const row = yield* one(sql.selectBinding, {});
  if (row === null) return null;
  const names = yield* all(sql.selectProviderNames, {});
  return withNames(
    bindingFromRow(row),
    names.map((name) => providerNameFromRow(name)),
  );
}

async function restoreOnto(parts: SqlParts, change: Recovery): Promise<RecoveryCounts> {
  const { engine } = parts;
  const people = change.disabled.map((user) => engine.read(userOfPerson(parts, user)));
  const own = await engine.read(readLastUserId(parts));
  const known = [...(await Promise.all(people)), ...(await keptOutUsers(parts, change.keptOut))];
  const plan = planRecovery(change, known, own);
  const counts = await engine.run(restore(parts, plan, change.keptOut));
  return { ...counts, disabled: plan.toDisable.length + plan.toAdd.length };
}

/**
 * Those who are in the backup. All of its users are read, because the backup may be from before a
 * change of the key, and a digest of one key does not tell that of another.
 */
async function keptOutUsers(parts: SqlParts, keptOut: readonly KeptOut[]): Promise<User[]> {
  if (keptOut.length === 0) return [];
  const digests = new Set<string>(keptOut.map(({ digest }) => digest));
  const { identities } = parts;
  return usersWhere(parts, (user) =>
    identities.digestsOf(user).some((digest) => digests.has(digest)),
  );
}

function bindTo({ sql }: CommandParts, binding: StoreBinding, at: Ms): Command<boolean> {
  const insert = guard(sql.insertBinding, bindingToRow(binding));
  return {
    steps: [insert],
    audit: [entry({ at, action: 'store.sealed', detail: binding.mode })],
    touches: 'everything',
    decode: (results) => results.has(insert),
  };
}

/** Adds a name of the provider to what the store says of it, unless another instance has done so. */
function addProviderName({ sql }: CommandParts, name: ProviderName, at: Ms): Command<void> {
  return {
    steps: [guard(sql.insertProviderName, { ...name })],
    audit: [entry({ at, action: 'store.sealed', detail: textOfName(name) })],
    touches: 'everything',
    decode: () => undefined,
  };
}

function recordEvent(event: AuditEvent): Command<void> {
  return { steps: [], audit: [entry(event)], touches: [], decode: () => undefined };
}

function recordCall(
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

function purge(
  { sql }: CommandParts,
  { expiredBefore, redeemedBefore, limit }: PurgeBounds,
): Command<PurgeCounts> {
  const attempts = step(sql.deleteExpiredAttempts, { before: expiredBefore, limit });
  const tokens = step(sql.deleteExpiredTokens, { before: expiredBefore, limit });
  const seals = step(sql.eraseSeals, { before: redeemedBefore, limit });
  const openid = step(sql.deleteExpiredOpenid, { before: redeemedBefore, limit });
  return {
    steps: [
      attempts,
      tokens,
      seals,
      step(sql.eraseIdentifiers, { before: redeemedBefore, limit }),
      step(sql.deleteOldPushes, { before: expiredBefore, limit }),
      openid,
    ],
    audit: [],
    // It passes over what others have locked, so that nobody waits for it.
    touches: [],
    decode: (results) => ({
      attempts: results.changes(attempts),
      tokens: results.changes(tokens),
      seals: results.changes(seals),
      openid: results.changes(openid),
    }),
  };
}

function endOverdue({ sql }: CommandParts, { from, to }: ClockStep): Command<void> {
  const times = { at: to, until: from };
  return {
    steps: [
      step(sql.endOverdueAttempts, times),
      step(sql.endOverdueTokens, times),
      step(sql.bringForward, { at: to }),
      step(sql.bringEndedForward, { at: to }),
    ],
    audit: [],
    touches: 'everything',
    decode: () => undefined,
  };
}

/**
 * A write, although it changes nothing: SQLite reads on the thread that answers requests, and this
 * passes over as many rows as are kept.
 */
function findRowCutoffs({ sql }: CommandParts, limits: RowLimits): Command<RowCutoffs> {
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
  const [row] = steps.map((query) => results.row(query));
  return row === undefined || row === null ? null : Number(row['moment']);
}

function trim(
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

function restore(
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
      step(sql.deleteOpenidOf, { user_id: null, client: null, ...ALL_RECORDS }),
      step(sql.deleteToldAtEnd, {}),
      // What the backup had not sent yet may have been sent since.
      step(sql.deleteDeliveries, {}),
      step(sql.deleteSweep, {}),
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

function bindingFromRow(row: SqlRow): StoreBinding {
  const read = new RowReader<BindingRow>('store_seal', row);
  const mode = read.oneOf('mode', MODES);
  if (mode === 'simulator') return { mode, provider: null };
  return {
    mode,
    provider: {
      url: read.text('provider_url'),
      pathPrefixes: [read.text('path_prefix')],
      issuers: [read.text('issuer')],
    },
  };
}

function providerNameFromRow(row: SqlRow): ProviderName {
  const read = new RowReader<ProviderNameRow>('provider_names', row);
  return { kind: read.oneOf('kind', PROVIDER_NAME_KINDS), value: read.text('value') };
}

/** Without the other names of the provider: they have rows of their own. */
function bindingToRow({ mode, provider }: StoreBinding): Omit<BindingRow, 'id'> {
  return {
    mode,
    provider_url: provider?.url ?? null,
    path_prefix: provider?.pathPrefixes[0] ?? null,
    issuer: provider?.issuers[0] ?? null,
  };
}

function callToRow(attemptId: AttemptId, call: ProviderCall): Omit<CallRow, 'call_id'> {
  const { at, operation, query, body, status, answer, reference, refusal, durationMs } =
    boundedCall(call);
  return {
    attempt_id: attemptId,
    at,
    operation,
    query: JSON.stringify(query),
    body: JSON.stringify(body),
    status,
    answer: JSON.stringify(answer),
    reference,
    refusal,
    duration_ms: durationMs,
  };
}

function callFromRow(row: SqlRow): ProviderCall {
  const read = new RowReader<CallRow>('provider_calls', row);
  const content = (column: 'body' | 'answer') => {
    const value = parseCallContent(read.text(column));
    return value === null ? null : read.accepted(column, value ?? null);
  };
  return {
    at: read.integer('at'),
    operation: read.text('operation'),
    requestId: read.text('attempt_id'),
    query: read.parsed('query', parseCallQuery),
    body: content('body'),
    status: read.integerOrNull('status'),
    answer: content('answer'),
    reference: read.integerOrNull('reference'),
    refusal: read.parsedOrNull('refusal', (text) => (isErrorCode(text) ? text : null)),
    durationMs: read.integer('duration_ms'),
  };
}
