import { describe, expect, it } from 'vitest';
import {
  attemptAt,
  ATTEMPT_LIFETIME_MS,
  authenticate,
  expiryOf,
  fail,
  cancel,
  countWrongCode,
  provesAttempt,
  redeem,
  reject,
  requireCompleted,
  startAttempt,
  type AttemptRecord,
  type AttemptState,
  attemptTokenDigest,
} from './attempt.ts';
import { makeAttemptId } from '../values/ids.ts';
import { COMPLETION_CODE_TRIES, completionCodeDigest } from './redeem/completion-code.ts';
import { Refusal } from '../errors/refusal.ts';
import type { ErrorCode } from '../errors/catalogue.ts';
import type { UserId } from '../account/user.ts';

const NOW = 1_800_000_000_000;
const LATER = NOW + 1000;
const USER = 7 as UserId;
const CODE = completionCodeDigest('the right code');

const pending = startAttempt({
  attemptId: makeAttemptId(NOW, new Uint8Array(10).fill(7)),
  flow: 'oidc',
  client: 'simulator',
  tokenDigest: attemptTokenDigest('token'),
  locale: 'ar',
  nationalId: null,
  bindingCode: null,
  returnAddress: null,
  createdAt: NOW,
  providerExpiresAt: null,
  scenario: null,
});
const authenticated: AttemptRecord = {
  ...pending,
  authenticatedAt: LATER,
  userId: USER,
  completionDigest: CODE,
  completionExpiresAt: NOW + 60_000,
};
/** The states, and the one that is told apart by its reason alone. */
type Case = AttemptState | 'cancelled';

const RECORDS: Record<Exclude<Case, 'expired'>, AttemptRecord> = {
  pending,
  authenticated,
  redeemed: { ...authenticated, redeemedAt: LATER },
  rejected: { ...pending, rejectedAt: LATER, endReason: 'attempt.rejected' },
  cancelled: { ...pending, rejectedAt: LATER, endReason: 'attempt.cancelled' },
  failed: { ...authenticated, failedAt: LATER, endReason: 'attempt.failed' },
};

const inState = (state: Case) =>
  state === 'expired'
    ? attemptAt(pending, NOW + ATTEMPT_LIFETIME_MS)
    : attemptAt(RECORDS[state], LATER);

const transitions = {
  authenticate: (state: Case) =>
    authenticate(inState(state), { flow: 'oidc', userId: USER, at: LATER, completion: null }),
  reject: (state: Case) => reject(inState(state), LATER, 'attempt.rejected'),
  fail: (state: Case) => fail(inState(state), LATER, 'attempt.failed'),
  cancel: (state: Case) => cancel(inState(state), LATER),
  countWrongCode: (state: Case) => countWrongCode(inState(state), LATER),
  redeem: (state: Case) =>
    redeem(inState(state), { at: LATER, completionDigest: CODE, seal: null }),
  requireCompleted: (state: Case) => requireCompleted(inState(state)).record,
};

/** The result of each transition in each state: the next state, or the error code. */
const TABLE: Record<keyof typeof transitions, Record<Case, AttemptState | ErrorCode>> = {
  authenticate: {
    pending: 'authenticated',
    authenticated: 'attempt.already_completed',
    redeemed: 'attempt.already_completed',
    rejected: 'attempt.rejected',
    cancelled: 'attempt.cancelled',
    failed: 'attempt.failed',
    expired: 'attempt.expired',
  },
  reject: {
    pending: 'rejected',
    authenticated: 'attempt.already_completed',
    redeemed: 'attempt.already_completed',
    rejected: 'attempt.rejected',
    cancelled: 'attempt.cancelled',
    failed: 'attempt.failed',
    expired: 'attempt.expired',
  },
  cancel: {
    pending: 'rejected',
    authenticated: 'rejected',
    redeemed: 'attempt.already_redeemed',
    rejected: 'attempt.rejected',
    cancelled: 'attempt.cancelled',
    failed: 'attempt.failed',
    expired: 'attempt.expired',
  },
  fail: {
    pending: 'failed',
    authenticated: 'failed',
    redeemed: 'attempt.already_completed',
    rejected: 'attempt.rejected',
    cancelled: 'attempt.cancelled',
    failed: 'attempt.failed',
    expired: 'attempt.expired',
  },
  countWrongCode: {
    pending: 'attempt.pending',
    authenticated: 'authenticated',
    redeemed: 'attempt.already_redeemed',
    rejected: 'attempt.rejected',
    cancelled: 'attempt.cancelled',
    failed: 'attempt.failed',
    expired: 'attempt.expired',
  },
  redeem: {
    pending: 'attempt.pending',
    authenticated: 'redeemed',
    redeemed: 'attempt.already_redeemed',
    rejected: 'attempt.rejected',
    cancelled: 'attempt.cancelled',
    failed: 'attempt.failed',
    expired: 'attempt.expired',
  },
  requireCompleted: {
    pending: 'attempt.pending',
    authenticated: 'authenticated',
    redeemed: 'redeemed',
    rejected: 'attempt.rejected',
    cancelled: 'attempt.cancelled',
    failed: 'attempt.failed',
    expired: 'attempt.expired',
  },
};

const rows = Object.entries(TABLE).flatMap(([transition, byState]) =>
  Object.entries(byState).map(
    ([state, outcome]) => [transition, state, outcome] as [keyof typeof transitions, Case, string],
  ),
);

function outcomeOf(transition: keyof typeof transitions, state: Case): string {
  try {
    return attemptAt(transitions[transition](state), LATER).state;
  } catch (error) {
    if (error instanceof Refusal) return error.code;
    throw error;
  }
}

describe('every transition from every state', () => {
  it.each(rows)('%s from %s: %s', (transition, state, outcome) => {
    expect(outcomeOf(transition, state)).toBe(outcome);
  });
});

describe('expiry', () => {
  it('is half-open: the last millisecond is good, the expiry itself is not', () => {
    const expiry = expiryOf(pending);
    expect(attemptAt(pending, expiry - 1).state).toBe('pending');
    expect(attemptAt(pending, expiry).state).toBe('expired');
  });

  it('is the earlier of ours and the provider’s', () => {
    expect(expiryOf({ ...pending, providerExpiresAt: NOW + 60_000 })).toBe(NOW + 60_000);
    expect(expiryOf({ ...pending, providerExpiresAt: NOW + 900_000 })).toBe(
      NOW + ATTEMPT_LIFETIME_MS,
    );
  });

  it('is not cut short any more by a push that has been answered', () => {
    const pushed = { ...pending, providerExpiresAt: NOW + 60_000 };
    const answered = authenticate(attemptAt(pushed, NOW), {
      flow: pushed.flow,
      userId: USER,
      at: NOW,
      completion: null,
    });
    expect(attemptAt(answered, NOW + 60_000).state).toBe('authenticated');
    expect(attemptAt(answered, pushed.expiresAt).state).toBe('expired');
  });

  it('comes to an authenticated attempt that nobody redeemed, and to no other end', () => {
    const late = NOW + ATTEMPT_LIFETIME_MS;
    expect(attemptAt(RECORDS.authenticated, late).state).toBe('expired');
    for (const state of ['redeemed', 'rejected', 'failed'] as const) {
      expect(attemptAt(RECORDS[state], late).state).toBe(state);
    }
  });
});

const redeemWith = (completionDigest: typeof CODE | null, at = LATER) =>
  redeem(attemptAt(authenticated, at), { at, completionDigest, seal: null });

describe('completion codes', () => {
  it('may be left out, must be right when given, and end', () => {
    expect(redeemWith(null).redeemedAt).toBe(LATER);
    expect(() => redeemWith(completionCodeDigest('wrong'))).toThrow('attempt.completion_required');
    expect(() => redeemWith(CODE, NOW + 60_000)).toThrow('attempt.completion_required');
  });

  it('are refused where the attempt has none', () => {
    const without = { ...authenticated, completionDigest: null, completionExpiresAt: null };
    const attempt = attemptAt(without, LATER);
    expect(() => redeem(attempt, { at: LATER, completionDigest: CODE, seal: null })).toThrow(
      'attempt.completion_required',
    );
  });

  it('end the attempt at the fifth wrong one', () => {
    let record = authenticated;
    for (let misses = 1; misses < COMPLETION_CODE_TRIES; misses += 1) {
      record = countWrongCode(attemptAt(record, LATER), LATER);
      expect(attemptAt(record, LATER).state).toBe('authenticated');
    }
    record = countWrongCode(attemptAt(record, LATER), LATER);
    expect(attemptAt(record, LATER).state).toBe('failed');
  });
});

it('refuses to authenticate an attempt of the other flow, once it is not expired', () => {
  const by = { flow: 'mfa', userId: USER, at: LATER, completion: null } as const;
  expect(() => authenticate(inState('pending'), by)).toThrow('attempt.wrong_flow');
  expect(() => authenticate(inState('authenticated'), by)).toThrow('attempt.wrong_flow');
  expect(() => authenticate(inState('expired'), by)).toThrow('attempt.expired');
});

it.each([
  { authenticatedAt: LATER },
  { userId: USER },
  { redeemedAt: LATER },
  { rejectedAt: LATER },
  { endReason: 'attempt.failed' as const },
  { ...authenticated, rejectedAt: LATER, endReason: 'attempt.rejected' as const },
  { ...RECORDS.redeemed, failedAt: LATER, endReason: 'attempt.failed' as const },
])('refuses to read an impossible row: %o', (times) => {
  expect(() => attemptAt({ ...pending, ...times }, LATER)).toThrow('impossible');
});

it('knows the attempt by its own token only', () => {
  expect(provesAttempt(pending, attemptTokenDigest('token'))).toBe(true);
  expect(provesAttempt(pending, attemptTokenDigest('tokem'))).toBe(false);
  expect(provesAttempt(null, attemptTokenDigest('token'))).toBe(false);
});
