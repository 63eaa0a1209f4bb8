import type { AttemptRecord } from '../attempt/attempt.ts';
import type { AuditRow } from '../audit/audit.ts';
import type { Digest } from '../values/secret.ts';
import type { ExportedUser } from './exported-user.ts';
import { birthDateIn } from './openid-client.ts';
import { budgetDigest } from '../attempt/start/push-budget.ts';
import type { NationalId, User, UserId } from './user.ts';
import { inPages } from '../values/pages.ts';
import { isoTimestamp, type Ms } from '../values/time.ts';
import type { Erasure, OpenidOfUser, RecordsOfUser, Store } from '../store/ports/store.port.ts';

/** Rows of the audit log per read. */
const AUDIT_PAGE = 2000;

/** The keys of the server, the current one first: a push may be counted under an earlier one. */
export type ServerKeyList = readonly Uint8Array[];

/**
 * Everything that the store has about a user, without what only serves to check a secret: no digest
 * of a token or code, no state and no nonce. As JSON, with times in ISO 8601. Nothing of another
 * user who has the same number is in it.
 */
export async function exportUser(
  store: Store,
  keys: ServerKeyList,
  user: User,
  now: Ms,
): Promise<ExportedUser> {
  const pushesOf = digestsOf(keys, user.nationalId);
  const records = await store.readRecords(user, pushesOf);
  const owner = ownerIn(store, user, records);
  const attempts = await assign(records.attempts, owner);
  const pushes = await assign(records.pushes, owner);
  const audit = await assign(await auditOf(store, user, records, pushesOf), owner);
  const leftOut = {
    attempts: attempts.leftOut,
    pushes: pushes.leftOut,
    audit: audit.leftOut,
  };
  const exported = {
    exportedAt: now,
    user,
    tokens: records.tokens,
    attempts: await Promise.all(attempts.theirs.map((attempt) => shownAttempt(store, attempt))),
    pushes: pushes.theirs,
    audit: audit.theirs,
    birthDates: records.openid.flatMap(keptBirthDate),
    leftOut,
  };
  // Before anything is handed out. After an erasure the id leads nowhere, and whoever has the number
  // can still say whose data it was.
  const [personDigest] = pushesOf;
  const row = { at: now, action: 'user.exported', userId: user.id } as const;
  await store.recordEvent(personDigest === undefined ? row : { ...row, personDigest });
  return { json: presented(exported), leftOut };
}

/** What an OpenID client is told, of which the rest only serves to check a secret. */
function keptBirthDate({ body, client, expiresAt }: OpenidOfUser) {
  const birthDate = birthDateIn({ body });
  return birthDate === null ? [] : [{ client, birthDate, expiresAt }];
}

/** A row about somebody: it names the user, or the attempt that it is about. */
type Assignable = Pick<AuditRow, 'attemptId'> & Partial<Pick<AuditRow, 'userId'>>;

type OwnerOf = (row: Assignable) => Promise<'theirs' | 'of another' | 'unknown'>;

/** Whose a row is that names the user, an attempt of theirs or their number. */
function ownerIn(store: Store, { id }: User, { isShared }: RecordsOfUser): OwnerOf {
  const ofUser = (userId: UserId) => (userId === id ? 'theirs' : 'of another');
  return async ({ userId = null, attemptId }) => {
    if (!isShared) return 'theirs';
    if (userId !== null) return ofUser(userId);
    const found = attemptId === null ? null : await store.findAttempt(attemptId);
    const known = found?.attempt.userId ?? null;
    return known === null ? 'unknown' : ofUser(known);
  };
}

async function assign<Row extends Assignable>(rows: readonly Row[], ownerOf: OwnerOf) {
  const owners = await Promise.all(rows.map((row) => ownerOf(row)));
  return {
    theirs: rows.filter((_, index) => owners[index] === 'theirs'),
    leftOut: owners.filter((owner) => owner === 'unknown').length,
  };
}

/** @param keepsOut null: nobody has decided, which is enough unless the user is disabled */
export function eraseUser(
  store: Store,
  keys: ServerKeyList,
  user: User,
  { keepsOut, at }: { readonly keepsOut: boolean | null; readonly at: Ms },
): Promise<Erasure> {
  const pushesOf = digestsOf(keys, user.nationalId);
  return store.eraseUser({ userId: user.id, at, pushesOf, keepsOut });
}

function digestsOf(keys: ServerKeyList, nationalId: NationalId): Digest[] {
  return keys.map((key) => budgetDigest(key, nationalId));
}

async function shownAttempt(store: Store, attempt: AttemptRecord) {
  const found = await store.findTransaction(attempt.attemptId);
  const calls = await store.listCalls(attempt.attemptId);
  return { ...attempt, provider: found === null ? null : found.transaction.kind, calls };
}

/** The rows that name the user, one of their attempts, or the person. Reads the whole log. */
async function auditOf(
  store: Store,
  { id }: User,
  { attempts }: RecordsOfUser,
  people: readonly Digest[],
): Promise<AuditRow[]> {
  const ids = new Set<unknown>(attempts.map(({ attemptId }) => attemptId));
  const digests = new Set<unknown>(people);
  const found: AuditRow[] = [];
  const read = (after: number) => store.readAudit({ after, limit: AUDIT_PAGE });
  const pages = { size: AUDIT_PAGE, placeOf: ({ sequence }: AuditRow) => sequence };
  for await (const rows of inPages(read, 0, pages)) {
    found.push(
      ...rows.filter(
        ({ userId, attemptId, personDigest }) =>
          userId === id || ids.has(attemptId) || digests.has(personDigest),
      ),
    );
  }
  return found;
}

/** What only serves to check a secret, and the operator of a row, who is another person. */
const LEFT_OUT: ReadonlySet<string> = new Set([
  'tokenDigest',
  'completionDigest',
  'redemption',
  'actor',
]);

function presented(exported: object): unknown {
  return JSON.parse(
    JSON.stringify(exported, (name, value: unknown) => {
      if (LEFT_OUT.has(name)) return undefined;
      return typeof value === 'number' && isTime(name) ? isoTimestamp(value) : value;
    }),
  );
}

/** The names of times in the domain's records. */
function isTime(name: string): boolean {
  return name === 'countsUntil' || name === 'at' || name.endsWith('At');
}
