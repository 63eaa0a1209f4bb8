import type { Ms } from '../../../values/time.ts';
import type {
  ConsumeAttempt,
  ConsumedAttempt,
  LinkOpenid,
  OpenidName,
  OpenidRecord,
} from '../../ports/store.port.ts';
import { entryAbout } from '../audit-entry.ts';
import { attemptName, type Command } from '../command.ts';
import type { CommandParts } from '../engine.ts';
import { attemptFromRow } from '../rows/attempts.ts';
import {
  grantDigest,
  openidToRow,
  recordDigest,
  resealedOpenid,
  subjectFromRow,
} from '../rows/openid.ts';
import { userFromRow } from '../rows/users.ts';
import { guard, step, type SqlRow, type Step } from '../statement.ts';

const openidName = (digest: string): string => `openid:${digest}`;

/** A write of one record, by statements that decide alone. */
function change<Result>(
  name: OpenidName,
  one: Step,
  decode: Command<Result>['decode'],
): Command<Result> {
  return { steps: [one], audit: [], touches: [openidName(recordDigest(name))], decode };
}

export function putOpenid({ sql, identities }: CommandParts, record: OpenidRecord): Command<void> {
  return change(record, step(sql.putOpenid, openidToRow(record, identities)), () => undefined);
}

export function keepOpenid({ sql, identities }: CommandParts, record: OpenidRecord): Command<void> {
  return change(record, step(sql.keepOpenid, openidToRow(record, identities)), () => undefined);
}

export function linkOpenid({ sql }: CommandParts, link: LinkOpenid): Command<boolean> {
  const values = { record_digest: recordDigest(link), attempt_id: link.to, linked: link.from };
  const one = guard(sql.linkOpenid, values);
  return change(link, one, (results) => results.has(one));
}

/** One statement decides which of several consumptions at once is the first. */
export function consumeOpenid({ sql }: CommandParts, name: OpenidName, at: Ms): Command<boolean> {
  const one = guard(sql.consumeOpenid, { record_digest: recordDigest(name), at });
  return change(name, one, (results) => results.has(one));
}

export function removeOpenid({ sql }: CommandParts, name: OpenidName): Command<void> {
  const one = step(sql.deleteOpenid, { record_digest: recordDigest(name) });
  return change(name, one, () => undefined);
}

/** Touches everything, so that no record of the grant is written meanwhile and missed. */
export function removeOpenidGrant({ sql }: CommandParts, grant: string): Command<void> {
  return {
    steps: [step(sql.deleteOpenidGrant, { grant_digest: grantDigest(grant) })],
    audit: [],
    touches: 'everything',
    decode: () => undefined,
  };
}

export function resealOpenid(
  { sql, identities }: CommandParts,
  rows: readonly SqlRow[],
): Command<void> {
  return {
    steps: rows.map((row) => step(sql.resealOpenid, resealedOpenid(row, identities))),
    audit: [],
    touches: 'everything',
    decode: () => undefined,
  };
}

/** Redeems an attempt for an authorization code: no API token is written. */
export function consumeAttempt(
  { sql, identities }: CommandParts,
  { attemptId, at, completionDigest, subject }: ConsumeAttempt,
): Command<ConsumedAttempt | null> {
  const attempt_id = attemptId;
  const consume = guard(sql.consumeAttempt, {
    attempt_id,
    at,
    completion_digest: completionDigest,
  });
  const name = guard(sql.nameSubject, { attempt_id, subject });
  return {
    steps: [consume, name],
    audit: [entryAbout(consume, 'openid.code_issued', at)],
    touches: [attemptName(attemptId)],
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
