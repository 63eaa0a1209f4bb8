import {
  DOCUMENT_TYPES,
  GENDERS,
  parseNationalId,
  parseUserId,
  type Person,
  type PersonKey,
  type User,
  type UserId,
} from '../../../account/user.ts';
import { FLOWS } from '../../../attempt/flow.ts';
import type { SealContext } from '../../../platform/keys/vault.port.ts';
import { LOCALES } from '../../../values/locale.ts';
import { inPages } from '../../../values/pages.ts';
import { parseDigest } from '../../../values/secret.ts';
import type { Ms } from '../../../values/time.ts';
import type { UserStore } from '../../ports/store.port.ts';
import type { Rotated, Twin } from '../../ports/users.port.ts';
import { entry } from '../audit-rows.ts';
import type { CommandParts, SqlParts } from '../engine.ts';
import type { Identities } from '../identities.ts';
import type { PersonRow, UserRow } from '../schema.ts';
import {
  all,
  type Command,
  guard,
  one,
  type Read,
  RowReader,
  type SqlRow,
  step,
  type Step,
} from '../statement.ts';
import { canVerifyLastRow } from './audit.ts';
import { endOpenid } from './openid-ends.ts';

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
    rotateKeys: (limit, at, left = []) => rotateKeys(parts, { limit, left, at }),
    countLost: () => countLost(parts),
    forgetLost: (at) => forgetLostPeople(parts, at),
    listDisabled: async () => {
      const rows = await engine.read(all(sql.selectDisabled, {}));
      return rows.map((row) => userFromRow(row, identities));
    },
    lastUserId: () => engine.read(readLastUserId(parts)),
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
export function* readLastUserId({ sql }: CommandParts): Read<number> {
  const row = yield* one(sql.selectLastUserId, {});
  return Number(row?.['seq'] ?? 0);
}

interface RotationStep {
  readonly limit: number;
  readonly left: readonly UserId[];
  readonly at: Ms;
}

async function rotateKeys(parts: SqlParts, { limit, left, at }: RotationStep): Promise<Rotated> {
  const { engine, identities } = parts;
  const rows = await engine.read(underRetiredKeys(parts, limit + left.length));
  const found = rows
    .map((row) => ({
      user: userFromRow(row, identities),
      sealedBefore: String(row['national_id']),
    }))
    .filter(({ user }) => !left.includes(user.id))
    // Of two who are under earlier keys the older one is sealed.
    .toSorted((a, b) => a.user.id - b.user.id);
  const seal = async (users: readonly ResealedUser[]) => {
    if (users.length > 0) await engine.run(resealUsers(parts, users, at));
    return users.length;
  };
  try {
    return { sealed: await seal(found), twins: [] };
  } catch (error) {
    // A digest is there twice. It is looked for only here: it costs a query for each user.
    const twins = await engine.read(twinsAmong(parts, found));
    if (twins.length === 0) throw error;
    const others = found.filter(({ user }) => twins.every((twin) => twin.user !== user.id));
    return { sealed: await seal(others), twins };
  }
}

/** Those whose digest under the current key is another user's already, or will be. */
function* twinsAmong(
  { sql, identities }: CommandParts,
  found: readonly ResealedUser[],
): Read<readonly Twin[]> {
  const twins: Twin[] = [];
  const firsts = new Map<string, UserId>();
  for (const { user } of found) {
    const identity_digest = identities.digestOf(user);
    const row = yield* one(sql.selectPerson, { identity_digest });
    const other = row === null ? firsts.get(identity_digest) : userIdFromRow(row);
    if (other === undefined) firsts.set(identity_digest, user.id);
    else if (other !== user.id) twins.push({ user: user.id, other });
  }
  return twins;
}

/** Users that are sealed with an earlier key. */
function* underRetiredKeys(
  { sql, identities }: CommandParts,
  limit: number,
): Read<readonly SqlRow[]> {
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

/** Touches everything, so that no redemption for this user runs beside it. */
function disableUser({ sql, receivers }: CommandParts, id: UserId, at: Ms): Command<boolean> {
  const user = guard(sql.selectUser, { id });
  const command = {
    ...switched(
      user,
      guard(sql.disableUser, { id, at }),
      ...endOpenid({ sql }, { userId: id, client: null }, at),
    ),
    audit: [entry({ at, action: 'user.disabled', userId: id })],
  };
  return receivers.told(command, 'user.disabled', (told) =>
    step(sql.noteDisabled, { user_id: id, at, receivers: told }),
  );
}

function enableUser(parts: CommandParts, known: User, at: Ms): Command<boolean> {
  const { sql } = parts;
  const { id } = known;
  const user = guard(sql.selectUser, { id });
  return {
    ...switched(user, guard(sql.enableUser, { id }), ...letIn(parts, known)),
    audit: [entry({ at, action: 'user.enabled', userId: id })],
  };
}

/** The first step tells whether the user exists, even if nothing is changed. */
function switched(user: Step, change: Step, ...after: Step[]): Omit<Command<boolean>, 'audit'> {
  return {
    steps: [user, change, ...after],
    touches: 'everything',
    decode: (results) => results.has(user),
  };
}

interface ResealedUser {
  readonly user: User;
  /** The sealed text that is in the row now. */
  readonly sealedBefore: string;
}

function resealUsers(parts: CommandParts, users: readonly ResealedUser[], at: Ms): Command<void> {
  const { sql, identities } = parts;
  return {
    steps: users.flatMap(({ user, sealedBefore }) => {
      const row = personToRow(user, identities);
      return [
        step(sql.resealUser, { ...row, id: user.id, sealed_before: sealedBefore }),
        // The marker of a person who has come back, which the log's check looks for beside the row.
        ...adoptKeptOut(parts, user),
      ];
    }),
    audit: [entry({ at, action: 'keys.rotated', count: users.length })],
    touches: 'everything',
    decode: () => undefined,
  };
}

/** @param knownKeys null in a store where nothing is sealed: all people stay, with their tokens */
function forgetLost(
  { sql }: CommandParts,
  knownKeys: readonly string[] | null,
  count: number,
  at: Ms,
): Command<void> {
  const attempts = step(sql.deleteAttempts, {});
  const known = { known_keys: JSON.stringify(knownKeys) };
  return {
    steps:
      knownKeys === null
        ? [attempts]
        : [
            step(sql.deleteTokensOfLost, known),
            attempts,
            step(sql.deleteLost, known),
            step(sql.deleteLostOpenid, known),
          ],
    audit: [entry({ at, action: 'people.forgotten', count })],
    touches: 'everything',
    decode: () => undefined,
  };
}

/** The person is not kept out any more, under whichever key that was written. */
export function letIn({ sql, identities }: CommandParts, person: PersonKey): Step[] {
  return identities.digestsOf(person).map((digest) => step(sql.letIn, { identity_digest: digest }));
}

/** Whoever is kept out under an earlier key is kept out under the current one. */
export function adoptKeptOut({ sql, identities }: CommandParts, person: PersonKey): Step[] {
  const moved = () => ({
    identity_digest: identities.digestOf(person),
    vault_key: identities.currentKey,
  });
  return identities.retiredDigestsOf(person).flatMap((retired_digest) => [
    step(sql.adoptKeptOut, { ...moved(), retired_digest }),
    // Where the person was kept out under both keys already.
    step(sql.letIn, { identity_digest: retired_digest }),
  ]);
}

type IdentityColumn =
  | 'document_number'
  | 'national_id'
  | 'arabic_name'
  | 'english_name'
  | 'email'
  | 'nationality'
  | 'gender';

/** A seal is bound to the person's digest, because a new row has no id yet when it is sealed. */
function identityOf(identityDigest: string, column: IdentityColumn): SealContext {
  return { table: 'users', row: identityDigest, column };
}

/** @throws Error for a sealed row when there is no vault */
export function userFromRow(row: SqlRow, identities: Identities): User {
  const read = new RowReader<UserRow>('users', row);
  const digest = read.parsed('identity_digest', parseDigest);
  if (!identities.areSealed && read.textOrNull('vault_key') !== null) {
    throw new Error('a row of users is sealed, and this store was opened without its vault');
  }
  const open = (column: IdentityColumn) =>
    identities.read(identityOf(digest, column), read.text(column));
  return {
    id: read.id('id', parseUserId),
    issuer: read.text('issuer'),
    documentType: read.oneOf('document_type', DOCUMENT_TYPES),
    documentNumber: open('document_number'),
    nationalId: read.accepted('national_id', parseNationalId(open('national_id'))),
    arabicName: open('arabic_name'),
    englishName: open('english_name'),
    email: read.textOrNull('email') === null ? null : open('email'),
    nationality: open('nationality'),
    gender: read.accepted('gender', parseGender(open('gender'))),
    assuranceLevel: read.integer('assurance_level'),
    preferredLocale: read.oneOf('preferred_locale', LOCALES),
    lastAuthMethod: read.oneOf('last_auth_method', FLOWS),
    createdAt: read.integer('created_at'),
    updatedAt: read.integer('updated_at'),
    disabledAt: read.integerOrNull('disabled_at'),
    signInsEndedAt: read.integerOrNull('sign_ins_ended_at'),
  };
}

function userIdFromRow(row: SqlRow): UserId {
  return new RowReader<UserRow>('users', row).id('id', parseUserId);
}

function parseGender(text: string) {
  return GENDERS.find((gender) => gender === text) ?? null;
}

export function personToRow(person: Person, identities: Identities): PersonRow {
  const digest = identities.digestOf(person);
  const seal = (column: IdentityColumn, text: string) =>
    identities.write(identityOf(digest, column), text);
  return {
    identity_digest: digest,
    vault_key: identities.currentKey,
    issuer: person.issuer,
    document_type: person.documentType,
    document_number: seal('document_number', person.documentNumber),
    national_id: seal('national_id', person.nationalId),
    arabic_name: seal('arabic_name', person.arabicName),
    english_name: seal('english_name', person.englishName),
    email: person.email === null ? null : seal('email', person.email),
    nationality: seal('nationality', person.nationality),
    gender: seal('gender', person.gender),
    assurance_level: person.assuranceLevel,
  };
}

/** The whole row of an existing user. */
export function userToRow(user: User, identities: Identities): UserRow {
  return {
    ...personToRow(user, identities),
    id: user.id,
    preferred_locale: user.preferredLocale,
    last_auth_method: user.lastAuthMethod,
    created_at: user.createdAt,
    updated_at: user.updatedAt,
    disabled_at: user.disabledAt,
    sign_ins_ended_at: user.signInsEndedAt,
  };
}
