import type { NationalId, User } from '../../../account/user.ts';
import type { AttemptRecord } from '../../../attempt/attempt.ts';
import { type AttemptId, parseAttemptId } from '../../../values/ids.ts';
import { inPages } from '../../../values/pages.ts';
import type { Digest } from '../../../values/secret.ts';
import type {
  EraseUser,
  Erasure,
  KeptOut,
  PersonalDataStore,
  PushRecord,
  RecordsOfUser,
} from '../../ports/store.port.ts';
import { entry } from '../audit-rows.ts';
import type { CommandParts, SqlParts } from '../engine.ts';
import type { ErasedPersonRow, PushRow } from '../schema.ts';
import { all, type Command, guard, one, RowReader, type SqlRow, step } from '../statement.ts';
import { attemptFromRow } from './attempts.ts';
import { openidOfUserFromRow } from './openid-rows.ts';
import { apiTokenFromRow } from './tokens.ts';
import { letIn, PAGE, usersWhere, userWith } from './users.ts';
import { endOpenid } from './openid-ends.ts';

export function personalDataStore(parts: SqlParts): PersonalDataStore {
  return {
    // A person may have more than one row.
    findUsersNamed: (nationalId) => usersWhere(parts, (user) => isNamed(user, nationalId)),
    readRecords: (user, pushesOf) => readRecords(parts, user, pushesOf),
    eraseUser: (change) => erase(parts, change),
    countKeptOutBefore: () => countKeptOutBefore(parts),
    listKeptOut: async () => {
      const rows = await parts.engine.read(all(parts.sql.selectKeptOut, {}));
      return rows.map((row) => keptOutFromRow(row));
    },
  };
}

function isNamed(user: User, nationalId: NationalId): boolean {
  return user.nationalId === nationalId || user.documentNumber === nationalId;
}

async function readRecords(
  parts: SqlParts,
  user: User,
  pushesOf: readonly Digest[],
): Promise<RecordsOfUser> {
  const { engine, sql, identities } = parts;
  const { id } = user;
  const tokens = await engine.read(all(sql.selectTokensOfUser, { id }));
  const openid = await engine.read(all(sql.selectOpenidOfUser, { id }));
  const pushes = await Promise.all(
    pushesOf.map((person_digest) => engine.read(all(sql.selectPushesOfPerson, { person_digest }))),
  );
  return {
    tokens: tokens.map((row) => apiTokenFromRow(row)),
    attempts: await attemptsOf(parts, user),
    pushes: pushes.flat().map((row) => pushFromRow(row)),
    openid: openid.map((row) => openidOfUserFromRow(row, identities)),
    isShared: (await usersWhere(parts, (other) => sharesNumber(other, user))).length > 0,
  };
}

async function attemptsOf(parts: SqlParts, user: User): Promise<AttemptRecord[]> {
  const { engine, sql, identities } = parts;
  const naming = await attemptsNaming(parts, user);
  const own = await engine.read(all(sql.selectAttemptsOfUser, { id: user.id }));
  const found = [...naming, ...own.map((row) => attemptFromRow(row, identities))];
  const byId = new Map(found.map((attempt) => [attempt.attemptId, attempt]));
  return [...byId.values()].toSorted((first, other) =>
    first.attemptId < other.attemptId ? -1 : 1,
  );
}

function sharesNumber(other: User, user: User): boolean {
  return other.id !== user.id && other.nationalId === user.nationalId;
}

/** Attempts that ask for the person's number, of whichever state, but of no user yet. */
async function attemptsNaming(
  { engine, sql, identities }: SqlParts,
  user: User,
): Promise<AttemptRecord[]> {
  const found: AttemptRecord[] = [];
  const read = async (after: string) => {
    const page = { attempt_id: after, limit: PAGE };
    const rows = await engine.read(all(sql.selectAttemptsNaming, page));
    return rows.map((row) => attemptFromRow(row, identities));
  };
  const pages = { size: PAGE, placeOf: ({ attemptId }: AttemptRecord): string => attemptId };
  for await (const attempts of inPages(read, '', pages)) {
    found.push(
      ...attempts.filter(
        ({ nationalId, userId }) => nationalId === user.nationalId && userId === null,
      ),
    );
  }
  return found;
}

/**
 * Which attempts ask for the user is read before the transaction, because they have to be decrypted.
 * Those that began meanwhile are found by reading again when no more can come before the erasure.
 */
async function erase(parts: SqlParts, change: EraseUser): Promise<Erasure> {
  const user = await parts.engine.read(userWith(parts, change.userId));
  if (user === null) return 'unknown';
  const erased = await parts.engine.run(
    eraseUser(parts, change, user, await idsNaming(parts, user)),
  );
  if (typeof erased === 'string') return erased;
  const late = await idsNaming(parts, user);
  if (late.length === 0) return erased;
  const removed = await parts.engine.run(eraseOpen(parts, change, late));
  return { ...erased, attempts: erased.attempts + removed };
}

async function idsNaming(parts: SqlParts, user: User): Promise<readonly AttemptId[]> {
  return (await attemptsNaming(parts, user)).map(({ attemptId }) => attemptId);
}

async function countKeptOutBefore({ engine, sql, identities }: SqlParts): Promise<number> {
  const counts = identities.retiredKeys.map(async (vault_key) => {
    const row = await engine.read(one(sql.countKeptOutUnder, { vault_key }));
    return Number(row?.['count'] ?? 0);
  });
  return (await Promise.all(counts)).reduce((sum, count) => sum + count, 0);
}

function keptOutFromRow(row: SqlRow): KeptOut {
  const read = new RowReader<ErasedPersonRow>('erased_people', row);
  return {
    digest: read.text('identity_digest'),
    key: read.textOrNull('vault_key'),
    since: read.integer('erased_at'),
  };
}

function pushFromRow(row: SqlRow): PushRecord {
  const read = new RowReader<PushRow>('pushes', row);
  return {
    attemptId: read.parsed('attempt_id', parseAttemptId),
    client: read.text('client'),
    admittedAt: read.integer('admitted_at'),
    countsUntil: read.integer('counts_until'),
  };
}

/**
 * @param user as they were read, whose document never changes
 * @param naming attempts that ask for the number of the person, and were of no user
 */
function eraseUser(
  parts: CommandParts,
  { at, pushesOf, keepsOut }: EraseUser,
  user: User,
  naming: readonly AttemptId[],
): Command<Erasure> {
  const { sql } = parts;
  const { id } = user;
  const erasable = guard(sql.selectErasable, { id, decided: keepsOut === null ? 0 : 1 });
  // Another user may have signed in with one of them meanwhile.
  const named = naming.map((attempt_id) => step(sql.deleteOpenAttempt, { attempt_id }));
  const attempts = step(sql.deleteAttemptsOfUser, { id });
  const tokens = step(sql.deleteTokensOfUser, { id });
  return {
    steps: [
      erasable,
      ...(keepsOut === true ? [step(sql.keepOut, { id, at })] : []),
      ...(keepsOut === false ? letIn(parts, user) : []),
      step(sql.deleteDeliveriesOfUser, { user_id: id }),
      ...naming.map((attempt_id) => step(sql.deleteDeliveriesOfOpen, { attempt_id })),
      attempts,
      ...named,
      tokens,
      ...pushesOf.map((person_digest) => step(sql.forgetPushes, { person_digest })),
      ...endOpenid({ sql }, { userId: id, client: null }, at),
      step(sql.deleteUser, { id }),
    ],
    audit: [entry({ at, action: 'user.erased' })],
    // No sign-in of the person may come in between.
    touches: 'everything',
    decode: (results) => {
      if (!results.has(erasable)) return 'undecided';
      const removed = [attempts, ...named].map((removal) => results.changes(removal));
      return {
        tokens: results.changes(tokens),
        attempts: removed.reduce((sum, count) => sum + count, 0),
      };
    },
  };
}

/**
 * Removes attempts that ask for somebody who was erased, unless a new user has signed in with them.
 * @returns how many
 */
function eraseOpen(
  { sql }: CommandParts,
  { pushesOf }: EraseUser,
  naming: readonly AttemptId[],
): Command<number> {
  const open = naming.map((attempt_id) => step(sql.deleteOpenAttempt, { attempt_id }));
  const pushes = pushesOf.map((person_digest) => step(sql.forgetPushes, { person_digest }));
  const told = naming.map((attempt_id) => step(sql.deleteDeliveriesOfOpen, { attempt_id }));
  return {
    steps: [...told, ...open, ...pushes],
    audit: [],
    touches: 'everything',
    decode: (results) => open.reduce((sum, removal) => sum + results.changes(removal), 0),
  };
}
