import type { AttemptId } from '../domain/attempt-id.ts';
import type { AuditAction, AuditEvent } from '../domain/audit.ts';
import type { AttemptRecord } from '../domain/attempt.ts';
import type { ApiTokenId } from '../domain/api-token.ts';
import type { Digest } from '../domain/digest.ts';
import type { ErrorCode } from '../domain/errors/catalogue.ts';
import type { ProviderCall } from '../domain/provider-call.ts';
import { longestWindow } from '../domain/push-budget.ts';
import type { StoreBinding } from '../domain/store-binding.ts';
import type { Ms } from '../domain/time.ts';
import type { User, UserId } from '../domain/user.ts';
import type {
  AuthenticateAttempt,
  EndAttempt,
  OpenTransaction,
  PurgeBounds,
  PushWish,
  RedeemAttempt,
  ReplaceSession,
  RotateCompletion,
  TokenOwner,
} from '../ports/store/index.ts';
import type { AuditCut, RevocationScope } from '../ports/store/index.ts';
import { callToRow } from './sql/rows/calls.ts';
import type { Identities } from './sql/identities.ts';
import type { Statements } from './sql/queries/index.ts';
import type { PlannedRecovery } from './shared/plan-recovery.ts';
import { scopeName } from './shared/revocation-scope.ts';
import { scopeValues } from './sql/scope-values.ts';
import { recoveryUnit } from './recovery-units.ts';
import { attemptToRow, replaySealToRow } from './sql/rows/attempts.ts';
import { bindingToRow } from './sql/rows/binding.ts';
import { guard, step, type Unit } from './sql/statement.ts';
import { sessionToRow, transactionToRow } from './sql/rows/transactions.ts';
import { audit, auditAttempt, eraseOf } from './unit-parts.ts';
import { personToRow } from './sql/rows/users.ts';

/**
 * Every write as a list of guarded statements. No list needs a decision between its steps, so it is
 * sent to the writer as a whole, and it could serve another database too.
 */
export function unitsOf(sql: Statements, identities: Identities) {
  return {
    ...attemptUnits(sql, identities),
    ...transactionUnits(sql, identities),
    admitPush: (wish: PushWish): Unit => [
      guard(sql.admitPush, pushValues(wish)),
      audit(sql, { ...wish, action: 'push.admitted' }),
    ],
    withdrawPush: (attemptId: AttemptId, personDigest: Digest): Unit => [
      step(sql.withdrawPush, { attempt_id: attemptId, person_digest: personDigest }),
    ],
    ...operatorUnits(sql, identities),
    recover: (plan: PlannedRecovery): Unit => recoveryUnit(sql, identities, plan),
    revokeToken: (tokenId: ApiTokenId, { userId, client }: TokenOwner, at: Ms): Unit => [
      guard(sql.revokeToken, { token_id: tokenId, user_id: userId, client, at }),
      step(sql.appendAuditOfToken, { token_id: tokenId, at, action: 'token.revoked' }),
    ],
    resealUsers: (users: readonly ResealedUser[], at: Ms): Unit => [
      ...users.map((one) => reseal(sql, identities, one)),
      audit(sql, { at, action: 'keys.rotated', count: users.length }),
    ],
    forgetLost: (knownKeys: readonly string[], count: number, at: Ms): Unit => {
      const known = { known_keys: JSON.stringify(knownKeys) };
      return [
        step(sql.deleteTokensOfLost, known),
        step(sql.deleteAttempts, {}),
        step(sql.deleteLost, known),
        audit(sql, { at, action: 'people.forgotten', count }),
      ];
    },
    purge: (bounds: PurgeBounds) => purge(sql, bounds),
  };
}

function attemptUnits(sql: Statements, identities: Identities) {
  const erase = eraseOf(identities);
  return {
    insertAttempt: (attempt: AttemptRecord): Unit => [
      step(sql.insertAttempt, attemptToRow(attempt, identities)),
    ],
    authenticateAttempt: (change: AuthenticateAttempt) => authenticate(sql, identities, change),
    rejectAttempt: ({ attemptId, at, reason }: EndAttempt): Unit => [
      guard(sql.rejectAttempt, { attempt_id: attemptId, at, reason, erase }),
      auditAttempt(sql, 'attempt.rejected', attemptId, at),
    ],
    failAttempt: ({ attemptId, at, reason }: EndAttempt): Unit => [
      guard(sql.failAttempt, { attempt_id: attemptId, at, reason, erase }),
      auditAttempt(sql, 'attempt.failed', attemptId, at),
    ],
    countWrongCode: (attemptId: AttemptId, at: Ms): Unit => [
      guard(sql.countWrongCode, { attempt_id: attemptId, at, erase }),
      auditAttempt(sql, 'attempt.completion_missed', attemptId, at),
    ],
    rotateCompletion: ({ attemptId, at, completion }: RotateCompletion): Unit => [
      guard(sql.rotateCompletion, {
        attempt_id: attemptId,
        at,
        completion_digest: completion.digest,
        completion_expires_at: completion.expiresAt,
      }),
    ],
    redeemAttempt: (change: RedeemAttempt) => redeem(sql, change),
    missReplay: (attemptId: AttemptId): Unit => [step(sql.missReplay, { attempt_id: attemptId })],
  };
}

function transactionUnits(sql: Statements, identities: Identities) {
  return {
    openTransaction: (change: OpenTransaction) => openTransaction(sql, identities, change),
    bindBrowser: (attemptId: AttemptId, browserDigest: Digest, at: Ms): Unit => [
      guard(sql.bindBrowser, { attempt_id: attemptId, browser_digest: browserDigest, at }),
    ],
    replaceSession: ({ attemptId, at, session, browserDigest }: ReplaceSession): Unit => [
      guard(sql.replaceSession, {
        ...sessionToRow(attemptId, session, identities),
        attempt_id: attemptId,
        browser_digest: browserDigest,
        at,
      }),
    ],
    /** The attempt's own row changes only if the attempt is already authenticated. */
    spoilAttempt: (attemptId: AttemptId, at: Ms): Unit => {
      const moment = { attempt_id: attemptId, at };
      const reason = 'callback.browser_mismatch' satisfies ErrorCode;
      return [
        guard(sql.markSpoiled, moment),
        step(sql.failAuthenticated, { ...moment, reason, erase: eraseOf(identities) }),
        auditAttempt(sql, 'attempt.spoiled', attemptId, at),
      ];
    },
    expirePush: (attemptId: AttemptId, at: Ms): Unit => [
      guard(sql.expirePush, { attempt_id: attemptId, at }),
    ],
    recordApprovalSeen: (attemptId: AttemptId, at: Ms): Unit => [
      guard(sql.recordApprovalSeen, { attempt_id: attemptId, at }),
    ],
  };
}

function operatorUnits(sql: Statements, identities: Identities) {
  return {
    bindTo: (wish: StoreBinding, at: Ms): Unit => [
      guard(sql.insertBinding, bindingToRow(wish)),
      audit(sql, { at, action: 'store.sealed', detail: wish.mode }),
    ],
    /** The first step tells whether the user exists, even if nothing is changed. */
    disableUser: (id: UserId, at: Ms): Unit => [
      guard(sql.selectUser, { id }),
      guard(sql.disableUser, { id, at }),
      audit(sql, { at, action: 'user.disabled', userId: id }),
    ],
    enableUser: (id: UserId, at: Ms): Unit => [
      guard(sql.selectUser, { id }),
      guard(sql.enableUser, { id }),
      audit(sql, { at, action: 'user.enabled', userId: id }),
    ],
    /** Attempts before tokens: the audit row counts what the previous statement changed. */
    revokeAll: (at: Ms, scope: RevocationScope): Unit => {
      const values = { ...scopeValues(scope), at };
      const action = 'tokens.revoked_all' satisfies AuditAction;
      return [
        step(sql.failUnredeemed, { ...values, erase: eraseOf(identities) }),
        step(sql.revokeTokens, values),
        step(sql.appendAuditOfScope, { ...values, action, detail: scopeName(scope) }),
      ];
    },
    /** The count in the audit row is the number of rows that the statement before it deleted. */
    cutAudit: ({ before, limit, at }: AuditCut): Unit => [
      guard(sql.moveAuditAnchor, { before, limit }),
      step(sql.deleteAuditFront, {}),
      step(sql.appendAuditOfScope, {
        at,
        action: 'audit.cut' satisfies AuditAction,
        ...scopeValues('all'),
        detail: null,
      }),
    ],
    recordCall: (attemptId: AttemptId, call: ProviderCall): Unit => [
      guard(sql.insertCall, callToRow(attemptId, call)),
      step(sql.deleteOldCalls, { attempt_id: attemptId }),
    ],
    recordEvent: (event: AuditEvent): Unit => [audit(sql, event)],
  };
}

export interface ResealedUser {
  readonly user: User;
  /** The sealed text that is in the row now. */
  readonly sealedBefore: string;
}

function reseal(sql: Statements, identities: Identities, { user, sealedBefore }: ResealedUser) {
  const row = personToRow(user, identities);
  return step(sql.resealUser, { ...row, id: user.id, sealed_before: sealedBefore });
}

/**
 * Also removes what a finished login no longer needs. It is one unit, so there is only one commit
 * and a crash leaves nothing behind. `loginRows` finds the rows that it returns.
 */
function authenticate(sql: Statements, identities: Identities, change: AuthenticateAttempt): Unit {
  const { attemptId, flow, at, completion, pushesOf } = change;
  const person = personToRow(change.person, identities);
  const { identity_digest } = person;
  const moment = { attempt_id: attemptId, flow, at };
  const retired = identities.retiredDigestsOf(change.person);
  return [
    ...retired.map((retired_digest) =>
      step(sql.adoptUser, { ...moment, identity_digest, retired_digest }),
    ),
    guard(sql.upsertUser, { ...person, ...moment, preferred_locale: change.preferredLocale }),
    guard(sql.authenticateAttempt, {
      ...moment,
      identity_digest,
      erase: eraseOf(identities),
      completion_digest: completion?.digest ?? null,
      completion_expires_at: completion?.expiresAt ?? null,
    }),
    auditAttempt(sql, 'attempt.authenticated', attemptId, at),
    step(sql.eraseLaunchUrl, { attempt_id: attemptId }),
    ...(pushesOf === null ? [] : [step(sql.forgetPushes, { person_digest: pushesOf })]),
  ];
}

/** The user's row and the attempt's row, among the rows that `authenticateAttempt` returned. */
export function loginRows<Row>(rows: readonly Row[], { pushesOf }: AuthenticateAttempt) {
  const [user, attempt] = rows.slice(pushesOf === null ? -4 : -5);
  return { user, attempt };
}

/**
 * Returns the token's row, nothing for the attempt, the user's row, and nothing for the audit row.
 */
function redeem(sql: Statements, change: RedeemAttempt): Unit {
  const { attemptId, at, token } = change;
  return [
    guard(sql.insertRedeemedToken, {
      attempt_id: attemptId,
      attempt_token_digest: change.tokenDigest,
      completion_digest: change.completionDigest,
      at,
      token_id: token.tokenId,
      token_digest: token.tokenDigest,
      device_name: token.deviceName,
      created_at: token.createdAt,
      expires_at: token.expiresAt,
    }),
    step(sql.markRedeemed, { attempt_id: attemptId, at, ...replaySealToRow(change.seal) }),
    step(sql.selectUserOfAttempt, { attempt_id: attemptId }),
    auditAttempt(sql, 'token.issued', attemptId, at),
  ];
}

/** Returns the attempt's row as the second result. */
function openTransaction(sql: Statements, identities: Identities, change: OpenTransaction): Unit {
  const { attemptId, at, transaction } = change;
  return [
    guard(sql.insertTransaction, { ...transactionToRow(attemptId, transaction, identities), at }),
    step(sql.markOpened, {
      attempt_id: attemptId,
      binding_code: change.bindingCode,
      provider_expires_at: change.providerExpiresAt,
    }),
  ];
}

function pushValues({ attemptId, personDigest, client, at, budget }: PushWish) {
  return {
    attempt_id: attemptId,
    person_digest: personDigest,
    client,
    at,
    counts_until: at + longestWindow(budget),
    person_windows: JSON.stringify(budget.person),
    client_quota: budget.client.quota,
    client_since: at - budget.client.lengthMs,
    service_quota: budget.service.quota,
    service_since: at - budget.service.lengthMs,
    cooling_since: at - budget.coolDownMs,
  };
}

/** The results count attempts, tokens and seals, in this order; later results are not used. */
function purge(sql: Statements, { expiredBefore, redeemedBefore, limit }: PurgeBounds): Unit {
  return [
    step(sql.deleteExpiredAttempts, { before: expiredBefore, limit }),
    step(sql.deleteExpiredTokens, { before: expiredBefore, limit }),
    step(sql.eraseSeals, { before: redeemedBefore, limit }),
    step(sql.eraseIdentifiers, { before: redeemedBefore, limit }),
    step(sql.deleteOldPushes, { before: expiredBefore, limit }),
  ];
}
