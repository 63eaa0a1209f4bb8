import type { AttemptRecord } from '../../src/attempt/attempt.ts';
import type { NationalId, User } from '../../src/account/user.ts';
import type {
  Erasure,
  EraseUser,
  OpenidOfUser,
  PersonalDataStore,
} from '../../src/store/ports/store.port.ts';
import type { OpenTables, Tables } from './tables.ts';
import { endOpenid } from './tokens.ts';

export function personalDataStore(tables: OpenTables): PersonalDataStore {
  return {
    findUsersNamed: async (nationalId) =>
      tables().users.all.filter((user) => isNamed(user, nationalId)),
    readRecords: async (user, pushesOf) => ({
      tokens: tables().tokens.of(user.id),
      attempts: attemptsOf(tables(), user),
      pushes: tables().pushes.of(pushesOf),
      openid: openidOf(tables(), user),
      isShared: tables().users.all.some(
        ({ id, nationalId }) => id !== user.id && nationalId === user.nationalId,
      ),
    }),
    eraseUser: async (change) => eraseUser(tables(), change),
    listKeptOut: async () => tables().users.keptOut,
    // There is no vault, so no key is an earlier one.
    countKeptOutBefore: async () => {
      tables();
      return 0;
    },
  };
}

function openidOf({ openid, users }: Tables, { id }: User): readonly OpenidOfUser[] {
  return openid.all
    .filter(({ subject }) => users.ofSubject(subject ?? '')?.id === id)
    .map(({ model, client, body, expiresAt }) => ({ model, client, body, expiresAt }));
}

function isNamed(user: User, nationalId: NationalId): boolean {
  return user.nationalId === nationalId || user.documentNumber === nationalId;
}

function attemptsOf({ attempts }: Tables, user: User): AttemptRecord[] {
  return attempts
    .where(
      ({ userId, nationalId }) =>
        userId === user.id || (userId === null && nationalId === user.nationalId),
    )
    .toSorted((one, other) => (one.attemptId < other.attemptId ? -1 : 1));
}

function eraseUser(tables: Tables, { userId, at, pushesOf, keepsOut }: EraseUser): Erasure {
  const { attempts, transactions, calls, tokens, pushes, users, audit } = tables;
  const user = users.get(userId);
  if (user === null) return 'unknown';
  if (user.disabledAt !== null && keepsOut === null) return 'undecided';
  const removed = attemptsOf(tables, user);
  for (const { attemptId } of removed) {
    attempts.delete(attemptId);
    transactions.delete(attemptId);
    calls.delete(attemptId);
  }
  for (const digest of pushesOf) pushes.forget(digest);
  if (keepsOut === true) users.keepOut(user, at);
  if (keepsOut === false) users.letIn(user);
  endOpenid(tables, userId, null);
  users.erase(user);
  audit.append({ at, action: 'user.erased' });
  return { attempts: removed.length, tokens: tokens.deleteOf(userId) };
}
