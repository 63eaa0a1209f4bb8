import { TELLING_MS } from '../../../account/openid-client.ts';
import type { Ms } from '../../../values/time.ts';
import type {
  ConsumeAttempt,
  ConsumedAttempt,
  ContinueOpenid,
  EndedOpenid,
  Followed,
  FoundOpenid,
  FoundSignIn,
  GrantIssue,
  LeaseEnded,
  OpenidChange,
  OpenidName,
  OpenidRecord,
  OpenidRecords,
  ReplaceOpenid,
  UseAttempt,
} from '../../ports/store.port.ts';
import { entry, entryAbout } from '../audit-rows.ts';
import type { CommandParts, SqlParts } from '../engine.ts';
import type { Identities } from '../identities.ts';
import type { OpenidRecordRow } from '../schema.ts';
import {
  all,
  attemptName,
  type Command,
  guard,
  one,
  type Read,
  RowReader,
  type SqlRow,
  step,
  type Step,
} from '../statement.ts';
import { attemptFromRow } from './attempts.ts';
import { endSome } from './openid-ends.ts';
import {
  bodyOf,
  firstOfGrant,
  grantDigest,
  openidFromRow,
  openidName,
  openidToRow,
  recordDigest,
} from './openid-rows.ts';
import { userFromRow } from './users.ts';

export function openidStore(parts: SqlParts): OpenidRecords {
  const { engine, sql, identities } = parts;
  return {
    putOpenid: (record, issue) => engine.run(putOpenid(parts, record, issue ?? null)),
    followOpenid: (record, followed) => engine.run(followOpenid(parts, record, followed)),
    changeOpenid: (changes) => engine.run(changeOpenid(parts, changes)),
    continueOpenid: (change) => engine.run(continueOpenid(parts, change)),
    keepOpenid: (record) => keep(parts, record),
    findOpenid: (name) =>
      engine.read(found(parts, one(sql.selectOpenid, { record_digest: recordDigest(name) }))),
    openidOfAttempt: (attemptId) =>
      engine.read(found(parts, one(sql.selectOpenidOfAttempt, { attempt_id: attemptId }))),
    consumeOpenid: (name, at) => engine.run(consumeOpenid(parts, name, at)),
    removeOpenid: (name) => engine.run(removeOpenid(parts, name)),
    removeOpenidGrant: (grant, at) => engine.run(removeOpenidGrant(parts, grant, at)),
    resealOpenid: (limit) => reseal(parts, limit),
    replaceOpenid: (change) => replace(parts, change),
    consumeAttempt: (change) => engine.run(consumeAttempt(parts, change)),
    useAttempt: (change) => engine.run(useAttempt(parts, change)),
    findSubject: async (subject) => {
      const row = await engine.read(one(sql.selectSubject, { subject }));
      return row === null ? null : userFromRow(row, identities);
    },
    findSignIn: (attemptId) =>
      engine.read(signIn(parts, one(sql.selectAttempt, { attempt_id: attemptId }))),
    clientsToTell: async (clients, at) => {
      const values = { clients: JSON.stringify(clients), at };
      const rows = await engine.read(all(sql.selectClientsToTell, values));
      return rows.map((row) =>
        new RowReader<OpenidRecordRow>('openid_records', row).text('client'),
      );
    },
    leaseEnded: (lease) => engine.run(leaseEnded(parts, lease)),
    postponeEnded: (name, until) => engine.run(postponeEnded(parts, name, until)),
    removeEnded: (name) => engine.run(removeEnded(parts, name)),
    endSomeOpenid: (change) => endSome(parts, change),
  };
}

function* found(
  { identities }: CommandParts,
  lookUp: Read<SqlRow | null>,
): Read<FoundOpenid | null> {
  const row = yield* lookUp;
  return row === null ? null : openidFromRow(row, identities);
}

function* signIn(
  { sql, identities }: CommandParts,
  lookUp: Read<SqlRow | null>,
): Read<FoundSignIn | null> {
  const row = yield* lookUp;
  if (row === null) return null;
  const attempt = attemptFromRow(row, identities);
  const { userId } = attempt;
  const user = userId === null ? null : yield* one(sql.selectUser, { id: userId });
  if (user === null) return userId === null ? { attempt, user, subject: null } : null;
  return { attempt, user: userFromRow(user, identities), subject: subjectOrNull(user) };
}

/** What is there is never changed by another call, so it may be read afterwards. */
async function keep(parts: SqlParts, record: OpenidRecord): Promise<string> {
  const { engine, sql } = parts;
  await engine.run(keepOpenid(parts, record));
  const values = { record_digest: recordDigest(record) };
  const kept = await engine.read(found(parts, one(sql.selectOpenid, values)));
  return kept?.body ?? record.body;
}

async function reseal(parts: SqlParts, limit: number): Promise<number> {
  const { engine } = parts;
  const rows = await engine.read(sealedBefore(parts, limit));
  if (rows.length > 0) await engine.run(resealOpenid(parts, rows));
  return rows.length;
}

function* sealedBefore({ sql, identities }: CommandParts, limit: number): Read<readonly SqlRow[]> {
  const rows: SqlRow[] = [];
  for (const vault_key of identities.retiredKeys) {
    const left = { vault_key, limit: limit - rows.length };
    rows.push(...(yield* all(sql.selectOpenidUnderKey, left)));
  }
  return rows;
}

/** What is written is sealed, so the body is compared here, and the statement compares what was read. */
async function replace(parts: SqlParts, change: ReplaceOpenid): Promise<boolean> {
  const { engine, sql, identities } = parts;
  const row = await engine.read(one(sql.selectOpenid, { record_digest: recordDigest(change) }));
  if (row === null || openidFromRow(row, identities).body !== change.from) return false;
  return engine.run(replaceOpenid(parts, change, row));
}

/** A write of one record, by statements that decide alone. */
function writeOf<Result>(
  name: OpenidName,
  write: Step,
  decode: Command<Result>['decode'],
): Command<Result> {
  return { steps: [write], audit: [], touches: [openidName(recordDigest(name))], decode };
}

function putOpenid(
  { sql, identities }: CommandParts,
  record: OpenidRecord,
  issue: GrantIssue | null,
): Command<boolean> {
  const write = guard(sql.putOpenid, openidToRow(record, identities));
  const { client } = record;
  const audit = issue === null ? [] : [entry({ action: 'openid.grant_issued', client, ...issue })];
  return { ...writeOf(record, write, (results) => results.has(write)), audit };
}

function followOpenid(
  { sql, identities }: CommandParts,
  record: OpenidRecord,
  followed: Followed,
): Command<boolean> {
  const [own, other] = [recordDigest(record), recordDigest(followed)];
  const row = openidToRow(record, identities);
  const write = guard(sql.followOpenid, { ...row, from_digest: other });
  const isReplaced = !followed.stays && own !== other;
  return {
    steps: isReplaced ? [write, step(sql.deleteOpenid, { record_digest: other })] : [write],
    audit: [],
    touches: [...new Set([own, other])].map((digest) => openidName(digest)),
    decode: (results) => results.has(write),
  };
}

/** Each command begins with what decides whether it is made, and ends what comes after it. */
function changeOpenid(parts: CommandParts, changes: readonly OpenidChange[]): Command<number> {
  const commands = changes.map((change) => changeOf(parts, change));
  const names = commands.flatMap(({ touches }) => (touches === 'everything' ? [] : touches));
  return {
    steps: commands.flatMap(({ steps }) => steps),
    audit: [],
    touches: [...new Set(names)],
    decode: (results) => commands.filter(({ decode }) => decode(results)).length,
  };
}

function changeOf(parts: CommandParts, change: OpenidChange): Command<boolean> {
  if ('put' in change) return putOpenid(parts, change.put, null);
  if ('consume' in change) return consumeOpenid(parts, change.consume, change.at);
  if ('remove' in change) return removeOpenid(parts, change.remove);
  return followOpenid(parts, change.follow, change.followed);
}

function continueOpenid(
  { sql, identities }: CommandParts,
  { from, begins, client, at }: ContinueOpenid,
): Command<boolean> {
  const from_digest = recordDigest(from);
  const begin = guard(sql.continueOpenid, {
    ...firstOfGrant(begins, client, identities),
    from_digest,
    at,
  });
  return {
    steps: [begin],
    audit: [entryAbout(begin, 'openid.session_used', at)],
    touches: [from_digest, recordDigest(begins)].map((digest) => openidName(digest)),
    decode: (results) => results.has(begin),
  };
}

function keepOpenid({ sql, identities }: CommandParts, record: OpenidRecord): Command<void> {
  return writeOf(record, step(sql.keepOpenid, openidToRow(record, identities)), () => undefined);
}

/** One statement decides which of several consumptions at once is the first. */
function consumeOpenid({ sql }: CommandParts, name: OpenidName, at: Ms): Command<boolean> {
  const write = guard(sql.consumeOpenid, { record_digest: recordDigest(name), at });
  return writeOf(name, write, (results) => results.has(write));
}

function removeOpenid({ sql }: CommandParts, name: OpenidName): Command<boolean> {
  const write = guard(sql.deleteOpenid, { record_digest: recordDigest(name) });
  return writeOf(name, write, (results) => results.has(write));
}

/** Touches everything, so that no record of the grant is written meanwhile and missed. */
function removeOpenidGrant({ sql }: CommandParts, grant: string, at: Ms): Command<void> {
  const removal = guard(sql.deleteOpenidGrant, { grant_digest: grantDigest(grant) });
  return {
    steps: [removal],
    audit: [entryAbout(removal, 'openid.grant_ended', at)],
    touches: 'everything',
    decode: () => undefined,
  };
}

function resealOpenid({ sql, identities }: CommandParts, rows: readonly SqlRow[]): Command<void> {
  return {
    steps: rows.map((row) => step(sql.resealOpenid, resealedOpenid(row, identities))),
    audit: [],
    touches: 'everything',
    decode: () => undefined,
  };
}

function replaceOpenid(
  { sql, identities }: CommandParts,
  change: ReplaceOpenid,
  row: SqlRow,
): Command<boolean> {
  const write = guard(sql.resealOpenid, resealedOpenid(row, identities, change.to));
  const audit = [entry({ at: change.at, action: 'openid.keys_rotated' })];
  return { ...writeOf(change, write, (results) => results.has(write)), audit };
}

/** Redeems an attempt for an authorization code: no API token is written. */
function consumeAttempt(
  parts: CommandParts,
  { subject, ends = null, ...change }: ConsumeAttempt,
): Command<ConsumedAttempt | null> {
  const { sql, identities } = parts;
  const { consume, begin, audit, touches } = redemption(parts, change);
  const name = guard(sql.nameSubject, { attempt_id: change.attemptId, subject });
  const ended = ends === null ? [] : [recordDigest(ends)];
  const removals = ended.map((record_digest) => step(sql.deleteOpenid, { record_digest }));
  return {
    steps: [consume, name, begin, ...removals],
    audit,
    touches: [...touches, ...ended.map((digest) => openidName(digest))],
    decode: (results) => {
      const [attempt, user] = [results.row(consume), results.row(name)];
      if (attempt === null || user === null) return null;
      return {
        attempt: attemptFromRow(attempt, identities),
        user: userFromRow(user, identities),
        subject: subjectFromRow(user),
      };
    },
  };
}

/** The same, where the `sub` is neither written nor read. */
function useAttempt(parts: CommandParts, change: UseAttempt): Command<boolean> {
  const { consume, begin, audit, touches } = redemption(parts, change);
  return { steps: [consume, begin], audit, touches, decode: (results) => results.has(consume) };
}

/** What both have, in its order. */
function redemption(
  { sql, identities }: CommandParts,
  { attemptId, at, completionDigest, begins }: UseAttempt,
) {
  const attempt_id = attemptId;
  const values = { attempt_id, at, completion_digest: completionDigest };
  const consume = guard(sql.consumeAttempt, values);
  // The client is that of the attempt.
  const first = firstOfGrant(begins, null, identities);
  return {
    consume,
    begin: step(sql.putOpenidOfAttempt, { ...first, attempt_id }),
    audit: [entryAbout(consume, 'openid.signed_in', at)],
    touches: [attemptName(attemptId), openidName(recordDigest(begins))],
  };
}

function leaseEnded(
  { sql, identities }: CommandParts,
  { client, at, until, limit }: LeaseEnded,
): Command<readonly EndedOpenid[]> {
  const lease = step(sql.leaseEnded, { client, at, until, limit });
  return {
    steps: [lease],
    audit: [],
    touches: [],
    decode: (results) => results.rows(lease).map((row) => endedFromRow(row, identities)),
  };
}

function endedFromRow(row: SqlRow, identities: Identities): EndedOpenid {
  const { body, expiresAt } = openidFromRow(row, identities);
  const name = new RowReader<OpenidRecordRow>('openid_records', row).text('record_digest');
  return { name, body, endedAt: (expiresAt ?? 0) - TELLING_MS };
}

function postponeEnded({ sql }: CommandParts, name: string, until: Ms): Command<void> {
  const write = step(sql.postponeEnded, { record_digest: name, until });
  return { steps: [write], audit: [], touches: [openidName(name)], decode: () => undefined };
}

function removeEnded({ sql }: CommandParts, name: string): Command<void> {
  const write = step(sql.deleteOpenid, { record_digest: name });
  return { steps: [write], audit: [], touches: [openidName(name)], decode: () => undefined };
}

/** The row sealed anew, with another body if one is given, and the text that it has now. */
function resealedOpenid(row: SqlRow, identities: Identities, next?: string) {
  const read = new RowReader<OpenidRecordRow>('openid_records', row);
  const [record_digest, sealed_before] = [read.text('record_digest'), read.text('body')];
  const body = next ?? identities.read(bodyOf(record_digest), sealed_before);
  return {
    record_digest,
    sealed_before,
    body: identities.write(bodyOf(record_digest), body),
    vault_key: identities.currentKey,
  };
}

const subjectFromRow = (row: SqlRow) => ofSubject(row).text('subject');
const subjectOrNull = (row: SqlRow) => ofSubject(row).textOrNull('subject');

function ofSubject(row: SqlRow) {
  return new RowReader<{ readonly subject: string }>('users', row);
}
