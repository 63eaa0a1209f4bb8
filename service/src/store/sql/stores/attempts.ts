import { parseNationalId, parseUserId } from '../../../account/user.ts';
import { ATTEMPT_LIFETIME_MS, type AttemptRecord } from '../../../attempt/attempt.ts';
import { FLOWS } from '../../../attempt/flow.ts';
import type { RedemptionSeal } from '../../../attempt/redeem/idempotency.ts';
import { parseScenario, scenarioText } from '../../../attempt/scenario.ts';
import type { ChangeAction } from '../../../audit/audit.ts';
import { isErrorCode } from '../../../errors/catalogue.ts';
import type { SealContext } from '../../../platform/keys/vault.port.ts';
import {
  AFTER_ALL_ATTEMPTS,
  type AttemptId,
  firstIdAt,
  parseAttemptId,
} from '../../../values/ids.ts';
import { LOCALES } from '../../../values/locale.ts';
import { parseDigest } from '../../../values/secret.ts';
import type { Ms } from '../../../values/time.ts';
import type {
  AttemptStore,
  AttemptWithUser,
  AuthenticateAttempt,
  BegunFor,
  CancelAttempt,
  EndAttempt,
  RotateCompletion,
} from '../../ports/store.port.ts';
import { entryAbout } from '../audit-rows.ts';
import type { CommandParts, SqlParts } from '../engine.ts';
import { eraseOf, type Identities } from '../identities.ts';
import type { AttemptRow } from '../schema.ts';
import {
  all,
  attemptName,
  BUDGETS,
  type Command,
  guard,
  one,
  personName,
  type Read,
  RowReader,
  type SqlRow,
  step,
  type Step,
} from '../statement.ts';
import { beginFor, keepForClient } from './openid-rows.ts';
import { tellingEnd } from './telling.ts';
import { adoptKeptOut, personToRow, userFromRow, userWith } from './users.ts';

/** The attempts themselves: transactions.ts has what is between them and the provider. */
export function attemptStore(parts: SqlParts) {
  const { engine, sql } = parts;
  return {
    insertAttempt: (attempt, begunFor) => engine.run(insertAttempt(parts, attempt, begunFor)),
    findAttempt: (attemptId) =>
      engine.read(withUser(parts, one(sql.selectAttempt, { attempt_id: attemptId }))),
    findProvenAttempt: (attemptId, tokenDigest) => {
      const proof = { attempt_id: attemptId, token_digest: tokenDigest };
      return engine.read(withUser(parts, one(sql.selectProvenAttempt, proof)));
    },
    pendingAttempts: (now, limit, scope) => engine.read(pendingAttempts(parts, now, limit, scope)),
    newestAttempts: (limit, scope, before) =>
      engine.read(newestAttempts(parts, limit, scope, before ?? AFTER_ALL_ATTEMPTS)),
    authenticateAttempt: (change) => engine.run(authenticateAttempt(parts, change)),
    rejectAttempt: (change) => engine.run(rejectAttempt(parts, change)),
    failAttempt: (change) => engine.run(failAttempt(parts, change)),
    cancelAttempt: (change) => engine.run(cancelAttempt(parts, change)),
    countWrongCode: (attemptId, at) => engine.run(countWrongCode(parts, attemptId, at)),
    missReplay: (attemptId) => engine.run(missReplay(parts, attemptId)),
    rotateCompletion: (change) => engine.run(rotateCompletion(parts, change)),
  } satisfies Partial<AttemptStore>;
}

function* pendingAttempts(
  { sql, identities }: CommandParts,
  now: Ms,
  limit: number,
  scope: string,
): Read<readonly AttemptRecord[]> {
  const first_id = firstIdAt(now - ATTEMPT_LIFETIME_MS);
  const of_scope = ofScope(scope);
  const rows = yield* all(sql.selectPendingAttempts, { first_id, at: now, of_scope, limit });
  return rows.map((row) => attemptFromRow(row, identities)).toReversed();
}

/** What a stored scenario of this scope is like. */
const ofScope = (scope: string) => `${scope} %`;

function* newestAttempts(
  { sql, identities }: CommandParts,
  limit: number,
  scope: string,
  before_id: AttemptId,
): Read<readonly AttemptRecord[]> {
  const rows = yield* all(sql.selectNewestAttempts, { before_id, of_scope: ofScope(scope), limit });
  return rows.map((row) => attemptFromRow(row, identities));
}

function* withUser(parts: CommandParts, lookUp: Read<SqlRow | null>): Read<AttemptWithUser | null> {
  const row = yield* lookUp;
  if (row === null) return null;
  const attempt = attemptFromRow(row, parts.identities);
  if (attempt.userId === null) return { attempt, user: null };
  const found = yield* userWith(parts, attempt.userId);
  // People whose key is lost are removed together with all attempts: then this one is gone too.
  return found === null ? null : { attempt, user: found };
}

/** Touches nothing that is there already, but what it is begun for. */
function insertAttempt(
  parts: CommandParts,
  attempt: AttemptRecord,
  begunFor: BegunFor | null | undefined,
): Command<boolean> {
  const { steps, touches, isBegun } = beginFor(parts, attempt.attemptId, begunFor);
  const insert = step(parts.sql.insertAttempt, attemptToRow(attempt, parts.identities));
  return {
    steps: [...steps, insert],
    audit: [],
    touches,
    decode: isBegun,
  };
}

function rejectAttempt(parts: CommandParts, { attemptId, at, reason }: EndAttempt) {
  const erase = eraseOf(parts.identities);
  const end = guard(parts.sql.rejectAttempt, { attempt_id: attemptId, at, reason, erase });
  const rejected = changeAttempt(parts, attemptId, end, { action: 'attempt.rejected', at });
  const whole = andEraseLaunchUrl(parts, attemptId, rejected);
  return tellingEnd(parts, whole, 'attempt.rejected', attemptId, at);
}

function failAttempt(parts: CommandParts, { attemptId, at, reason }: EndAttempt) {
  const erase = eraseOf(parts.identities);
  const end = guard(parts.sql.failAttempt, { attempt_id: attemptId, at, reason, erase });
  const failed = changeAttempt(parts, attemptId, end, { action: 'attempt.failed', at });
  const whole = andEraseLaunchUrl(parts, attemptId, failed);
  return tellingEnd(parts, whole, 'attempt.failed', attemptId, at);
}

function cancelAttempt(parts: CommandParts, { attemptId, at }: CancelAttempt) {
  const erase = eraseOf(parts.identities);
  const end = guard(parts.sql.cancelAttempt, { attempt_id: attemptId, at, erase });
  const cancelled = changeAttempt(parts, attemptId, end, { action: 'attempt.rejected', at });
  const whole = andEraseLaunchUrl(parts, attemptId, cancelled);
  return tellingEnd(parts, whole, 'attempt.rejected', attemptId, at);
}

/**
 * The address contains the provider's state, and is of no use once the attempt has ended. The step
 * comes after the guard of the command, so it runs only where the attempt has really ended.
 */
function andEraseLaunchUrl<Result>(
  { sql }: CommandParts,
  attemptId: AttemptId,
  command: Command<Result>,
): Command<Result> {
  const erase = step(sql.eraseLaunchUrl, { attempt_id: attemptId });
  return { ...command, steps: [...command.steps, erase] };
}

function countWrongCode(parts: CommandParts, attemptId: AttemptId, at: Ms) {
  const erase = eraseOf(parts.identities);
  const count = guard(parts.sql.countWrongCode, { attempt_id: attemptId, at, erase });
  const counted = changeAttempt(parts, attemptId, count, {
    action: 'attempt.completion_missed',
    at,
  });
  // The last one of the tries fails the attempt.
  return tellingEnd(parts, counted, 'attempt.failed', attemptId, at);
}

function rotateCompletion(parts: CommandParts, { attemptId, at, completion }: RotateCompletion) {
  const rotate = guard(parts.sql.rotateCompletion, {
    attempt_id: attemptId,
    at,
    completion_digest: completion.digest,
    completion_expires_at: completion.expiresAt,
  });
  return changeAttempt(parts, attemptId, rotate, null);
}

function missReplay({ sql }: CommandParts, attemptId: AttemptId): Command<void> {
  return {
    steps: [step(sql.missReplay, { attempt_id: attemptId })],
    audit: [],
    touches: [attemptName(attemptId)],
    decode: () => undefined,
  };
}

interface Logged {
  readonly action: ChangeAction;
  readonly at: Ms;
}

/** One guarded statement that returns the attempt's row as it is now. */
function changeAttempt(
  { identities }: CommandParts,
  attemptId: AttemptId,
  change: Step,
  logged: Logged | null,
): Command<AttemptRecord | null> {
  return {
    steps: [change],
    audit: logged === null ? [] : [entryAbout(change, logged.action, logged.at)],
    touches: [attemptName(attemptId)],
    decode: (results) => {
      const row = results.row(change);
      return row === null ? null : attemptFromRow(row, identities);
    },
  };
}

/**
 * Also removes what a finished login no longer needs. It is one command, so there is only one
 * commit and a crash leaves nothing behind.
 */
function authenticateAttempt(
  parts: CommandParts,
  change: AuthenticateAttempt,
): Command<AttemptWithUser | null> {
  const { sql, identities } = parts;
  const { attemptId, flow, at, completion } = change;
  const person = personToRow(change.person, identities);
  const { identity_digest } = person;
  const moment = { attempt_id: attemptId, flow, at };
  const retired = identities.retiredDigestsOf(change.person);
  const adoptions = adoptPerson(parts, change, { identity_digest, retired });
  const user = guard(sql.upsertUser, {
    ...person,
    ...moment,
    preferred_locale: change.preferredLocale,
  });
  const attempt = guard(sql.authenticateAttempt, {
    ...moment,
    identity_digest,
    erase: eraseOf(identities),
    completion_digest: completion?.digest ?? null,
    completion_expires_at: completion?.expiresAt ?? null,
  });
  const { keeps = null } = change;
  const kept = keeps === null ? null : keepForClient(parts, attemptId, keeps);
  const command: Command<AttemptWithUser | null> = {
    steps: [...adoptions, user, attempt, ...cleanUp(parts, change), ...(kept?.steps ?? [])],
    audit: [entryAbout(attempt, 'attempt.authenticated', at)],
    touches: [
      attemptName(attemptId),
      ...[identity_digest, ...retired].map((digest) => personName(digest)),
      ...(change.pushesOf.length === 0 ? [] : [BUDGETS]),
      ...(kept?.touches ?? []),
    ],
    decode: (results) => {
      const [userRow, attemptRow] = [results.row(user), results.row(attempt)];
      if (userRow === null || attemptRow === null) return null;
      return {
        attempt: attemptFromRow(attemptRow, identities),
        user: userFromRow(userRow, identities),
      };
    },
  };
  return tellingEnd(parts, command, 'attempt.authenticated', attemptId, at);
}

/**
 * For a person who is stored under an earlier key. The guards come first, because a person who was
 * adopted has to be sealed anew in the same unit.
 */
function adoptPerson(
  parts: CommandParts,
  { attemptId: attempt_id, flow, at, person }: AuthenticateAttempt,
  { identity_digest, retired }: { identity_digest: string; retired: readonly string[] },
): Step[] {
  const { sql } = parts;
  return [
    ...retired.map((digest) =>
      guard(sql.selectBegunAfterEnd, { attempt_id, identity_digest: digest }),
    ),
    ...retired.map((retired_digest) =>
      step(sql.adoptUser, { attempt_id, flow, at, identity_digest, retired_digest }),
    ),
    ...adoptKeptOut(parts, person),
  ];
}

/** What nobody needs any more after the login. */
function cleanUp({ sql }: CommandParts, { attemptId, pushesOf }: AuthenticateAttempt): Step[] {
  return [
    step(sql.eraseLaunchUrl, { attempt_id: attemptId }),
    ...pushesOf.map((digest) => step(sql.forgetPushes, { person_digest: digest })),
  ];
}

export function attemptFromRow(row: SqlRow, identities: Identities): AttemptRecord {
  const read = new RowReader<AttemptRow>('attempts', row);
  const attemptId = read.parsed('attempt_id', parseAttemptId);
  return {
    attemptId,
    flow: read.oneOf('flow', FLOWS),
    client: read.text('client'),
    tokenDigest: read.parsed('token_digest', parseDigest),
    locale: read.oneOf('locale', LOCALES),
    nationalId: read.parsedOrNull('national_id', (stored) =>
      parseNationalId(identities.read(requestedIdOf(attemptId), stored)),
    ),
    bindingCode: read.textOrNull('binding_code'),
    returnAddress: read.textOrNull('return_address'),
    createdAt: read.integer('created_at'),
    expiresAt: read.integer('expires_at'),
    providerExpiresAt: read.integerOrNull('provider_expires_at'),
    authenticatedAt: read.integerOrNull('authenticated_at'),
    rejectedAt: read.integerOrNull('rejected_at'),
    failedAt: read.integerOrNull('failed_at'),
    redeemedAt: read.integerOrNull('redeemed_at'),
    userId: read.idOrNull('user_id', parseUserId),
    endReason: read.parsedOrNull('end_reason', parseErrorCode),
    completionDigest: read.parsedOrNull('completion_digest', parseDigest),
    completionExpiresAt: read.integerOrNull('completion_expires_at'),
    completionMisses: read.integer('completion_misses'),
    redemption: sealFromRow(read),
    scenario: read.parsedOrNull('scenario', parseScenario),
  };
}

function requestedIdOf(attemptId: string): SealContext {
  return { table: 'attempts', row: attemptId, column: 'national_id' };
}

function sealFromRow(read: RowReader<AttemptRow>): RedemptionSeal | null {
  const salt = read.textOrNull('replay_salt');
  if (salt === null) return null;
  return {
    salt,
    keyDigest: read.parsed('replay_key_digest', parseDigest),
    bodyDigest: read.parsed('replay_body_digest', parseDigest),
    misses: read.integer('replay_misses'),
  };
}

function parseErrorCode(text: string) {
  return isErrorCode(text) ? text : null;
}

function attemptToRow(record: AttemptRecord, identities: Identities): AttemptRow {
  const { attemptId, nationalId } = record;
  return {
    attempt_id: attemptId,
    flow: record.flow,
    client: record.client,
    token_digest: record.tokenDigest,
    locale: record.locale,
    national_id:
      nationalId === null ? null : identities.write(requestedIdOf(attemptId), nationalId),
    binding_code: record.bindingCode,
    return_address: record.returnAddress,
    created_at: record.createdAt,
    expires_at: record.expiresAt,
    provider_expires_at: record.providerExpiresAt,
    authenticated_at: record.authenticatedAt,
    rejected_at: record.rejectedAt,
    failed_at: record.failedAt,
    redeemed_at: record.redeemedAt,
    user_id: record.userId,
    end_reason: record.endReason,
    completion_digest: record.completionDigest,
    completion_expires_at: record.completionExpiresAt,
    completion_misses: record.completionMisses,
    ...replaySealToRow(record.redemption),
    scenario: record.scenario === null ? null : scenarioText(record.scenario),
  };
}

type SealColumns = Pick<
  AttemptRow,
  'replay_salt' | 'replay_key_digest' | 'replay_body_digest' | 'replay_misses'
>;

export function replaySealToRow(seal: RedemptionSeal | null): SealColumns {
  return {
    replay_salt: seal?.salt ?? null,
    replay_key_digest: seal?.keyDigest ?? null,
    replay_body_digest: seal?.bodyDigest ?? null,
    replay_misses: seal?.misses ?? null,
  };
}
