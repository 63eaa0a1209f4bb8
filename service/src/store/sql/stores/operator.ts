import { parseAttemptId } from '../../../values/ids.ts';
import { newNames, withNames, type StoreBinding } from '../../../values/store-binding.ts';
import type { Ms } from '../../../values/time.ts';
import type { User } from '../../../account/user.ts';
import type {
  Bound,
  KeptOut,
  OperatorStore,
  Recovery,
  RecoveryCounts,
} from '../../ports/store.port.ts';
import { requireBinding } from '../binding-check.ts';
import { planRecovery } from '../plan-recovery.ts';
import {
  addProviderName,
  bindTo,
  endOverdue,
  findRowCutoffs,
  purge,
  recordCall,
  recordEvent,
  restore,
  trim,
} from '../commands/operator.ts';
import type { SqlParts } from '../engine.ts';
import { all, one, type Read } from '../statement.ts';
import { bindingFromRow, providerNameFromRow } from '../rows/binding.ts';
import { callFromRow } from '../rows/calls.ts';
import { auditMethods } from './audit.ts';
import { lastUserId, userOfPerson, usersWhere } from './users.ts';

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
  const own = await engine.read(lastUserId(parts));
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
