import { inPages } from '../../../values/pages.ts';
import type { Ms } from '../../../values/time.ts';
import type { PersonKey, User, UserId } from '../../../account/user.ts';
import type { UserStore } from '../../ports/store.port.ts';
import { disableUser, enableUser, forgetLost, resealUsers } from '../commands/users.ts';
import type { CommandParts, SqlParts } from '../engine.ts';
import { all, one, type Read, type SqlRow } from '../statement.ts';
import { userFromRow, userIdFromRow } from '../rows/users.ts';
import { canVerifyLastRow } from './audit.ts';

/** Rows per read: decrypting them takes some milliseconds. */
export const PAGE = 500;

export function userStore(parts: SqlParts): UserStore {
  const { engine, sql, identities } = parts;
  return {
    findUser: (userId) => engine.read(userWith(parts, userId)),
    findPerson: (person) => engine.read(userOfPerson(parts, person)),
    disableUser: (userId, at) => engine.run(disableUser(parts, userId, at)),
    enableUser: async (userId, at) => {
      const user = await engine.read(userWith(parts, userId));
      return user !== null && engine.run(enableUser(parts, user, at));
    },
    rotateKeys: (limit, at) => rotateKeys(parts, limit, at),
    countLost: () => countLost(parts),
    forgetLost: (at) => forgetLostPeople(parts, at),
    listDisabled: async () => {
      const rows = await engine.read(all(sql.selectDisabled, {}));
      return rows.map((row) => userFromRow(row, identities));
    },
    lastUserId: () => engine.read(lastUserId(parts)),
    listUserIds: async (after, limit) => {
      const rows = await engine.read(all(sql.selectUserIds, { after, limit }));
      return rows.map((row) => userIdFromRow(row));
    },
  };
}

/** The user with this id. */
export function* userWith({ sql, identities }: CommandParts, id: UserId): Read<User | null> {
  const row = yield* one(sql.selectUser, { id });
  return row === null ? null : userFromRow(row, identities);
}

export function* userOfPerson(
  { sql, identities }: CommandParts,
  person: PersonKey,
): Read<User | null> {
  for (const identity_digest of identities.digestsOf(person)) {
    const row = yield* one(sql.selectPerson, { identity_digest });
    if (row !== null) return userFromRow(row, identities);
  }
  return null;
}

/** Reads all users, because what identifies them is sealed. */
export async function usersWhere(
  { engine, sql, identities }: SqlParts,
  isWanted: (user: User) => boolean,
): Promise<User[]> {
  const found: User[] = [];
  const read = async (after: number) => {
    const rows = await engine.read(all(sql.selectUsersAfter, { after, limit: PAGE }));
    return rows.map((row) => userFromRow(row, identities));
  };
  for await (const users of inPages(read, 0, { size: PAGE, placeOf: ({ id }) => id })) {
    found.push(...users.filter((user) => isWanted(user)));
  }
  return found;
}

/** The highest id that a user ever had, or 0. */
export function* lastUserId({ sql }: CommandParts): Read<number> {
  const row = yield* one(sql.selectLastUserId, {});
  return Number(row?.['seq'] ?? 0);
}

async function rotateKeys(parts: SqlParts, limit: number, at: Ms): Promise<number> {
  const { engine, identities } = parts;
  const rows = await engine.read(sealedBefore(parts, limit));
  const users = rows.map((row) => {
    const before = String(row['national_id']);
    return { user: userFromRow(row, identities), sealedBefore: before };
  });
  if (users.length > 0) await engine.run(resealUsers(parts, users, at));
  return users.length;
}

/** Users that are sealed with an earlier key. */
function* sealedBefore({ sql, identities }: CommandParts, limit: number): Read<readonly SqlRow[]> {
  const rows: SqlRow[] = [];
  for (const vault_key of identities.retiredKeys) {
    const left = { vault_key, limit: limit - rows.length };
    rows.push(...(yield* all(sql.selectUsersUnderKey, left)));
  }
  return rows;
}

async function countLost({ engine, sql, identities }: SqlParts): Promise<number> {
  const { knownKeys } = identities;
  if (knownKeys === null) return 0;
  const row = await engine.read(one(sql.countLost, { known_keys: JSON.stringify(knownKeys) }));
  return Number(row?.['lost'] ?? 0);
}

async function forgetLostPeople(parts: SqlParts, at: Ms): Promise<number> {
  const lost = await countLost(parts);
  // Without anybody sealed under the lost key, the audit log is what shows that it is lost.
  if (lost > 0 || !(await parts.engine.read(canVerifyLastRow(parts)))) {
    await parts.engine.run(forgetLost(parts, parts.identities.knownKeys, lost, at));
  }
  return lost;
}
