import { describe, expect, test } from 'vitest';
import type { Answer } from '../programs/api-client.ts';
import { checkHistory, type Asked } from './check-history.ts';
import { checkStore, type PushLimit } from './check-store.ts';
import { History, type KnownAttempt } from './history.ts';
import type { AttemptFact, StoreFacts } from './store-facts.ts';

const ID = '019a3b1e-7c40-7d2a-9f11-3c5b8e0a6d42';
const MINUTE_MS = 60_000;
const LIMIT: PushLimit = { most: 3, withinMs: 10 * MINUTE_MS };

/** An attempt that was completed and redeemed, as far as the application knows. */
function known(history: History, told: Partial<KnownAttempt> = {}, inMs = MINUTE_MS) {
  const expires_at = new Date(Date.now() + inMs).toISOString();
  const started = { attempt_id: ID, attempt_token: 'token', expires_at };
  const attempt = history.add(started, 'mfa');
  return Object.assign(attempt, told, { tokens: new Set(told.tokens) });
}

const REDEEMED: Partial<KnownAttempt> = {
  completion: 'acknowledged',
  redemption: 'acknowledged',
  tokens: new Set(['token-1']),
  userId: 7,
};

/** The answers of an instance, by what is asked. */
interface Told {
  readonly status?: string;
  readonly redemption?: { readonly status: number; readonly token?: string };
  readonly completion?: number;
  readonly user?: { readonly status: number; readonly id?: number };
}

function answer(status: number, data: object): Promise<Answer> {
  return Promise.resolve({ origin: '', status, headers: {}, text: '', json: { data } });
}

function instance({ status = 'authenticated', redemption, completion = 409, user }: Told): Asked {
  const person = { id: 7, national_id: '1000001101' };
  return {
    status: () => answer(status === 'lost' ? 404 : 200, { status }),
    get: () => answer(user?.status ?? 200, { id: user?.id ?? 7 }),
    post: (path) =>
      path.startsWith('/token/')
        ? answer(redemption?.status ?? 409, { token: redemption?.token, user: person })
        : answer(completion, {}),
  };
}

async function judge(history: History, ...told: readonly Told[]): Promise<string[]> {
  await checkHistory({ clients: told.map(instance), history }, history.attempts);
  return history.violations.map((one) => one.split(':')[0] ?? '');
}

describe('what applications were told is compared with the answers', () => {
  const cases: [string, Partial<KnownAttempt>, Told][] = [
    ['I1', { ...REDEEMED, key: 'k', askedAt: Date.now() }, token('token-2')],
    ['I2', {}, { status: 'lost' }],
    ['I3', { completion: 'acknowledged' }, { status: 'pending' }],
    ['I4', {}, { status: 'authenticated' }],
    ['I4', {}, { status: 'pending', ...token('token-1') }],
    ['I5', { refusal: 'acknowledged' }, { status: 'pending' }],
    ['I5', { refusal: 'unknown', end: 'rejected' }, { status: 'pending' }],
    ['I7', { ...REDEEMED, revocation: 'acknowledged' }, { user: { status: 200 } }],
    ['I8', REDEEMED, { user: { status: 200, id: 8 } }],
    ['I9', { ...REDEEMED, key: 'k', askedAt: Date.now() }, { redemption: { status: 409 } }],
  ];
  test.each(cases)('%s', async (name, attempt, told) => {
    const history = new History();
    known(history, attempt);
    expect(await judge(history, told)).toContain(name);
  });

  test('I6: a completion after the expiry', async () => {
    const history = new History();
    known(history, {}, -MINUTE_MS);
    expect(await judge(history, { status: 'expired', completion: 200 })).toEqual(['I6']);
  });

  test('I7: a revoked token is good at one of two instances', async () => {
    const history = new History();
    known(history, { ...REDEEMED, revocation: 'acknowledged' });
    expect(await judge(history, { user: { status: 401 } }, { user: { status: 200 } })).toEqual([
      'I7',
    ]);
  });

  test('and a history without a fault has none', async () => {
    const history = new History();
    known(history, { ...REDEEMED, key: 'k', askedAt: Date.now() });
    expect(await judge(history, token('token-1'), token('token-1'))).toEqual([]);
    const late = new History();
    known(late, {}, -MINUTE_MS);
    expect(await judge(late, { status: 'expired' })).toEqual([]);
  });
});

function token(text: string): Told {
  return { redemption: { status: 200, token: text } };
}

const NOW = 1_800_000_000_000;
const GOOD: AttemptFact = {
  id: ID,
  expiresAt: NOW + MINUTE_MS,
  authenticatedAt: NOW,
  rejectedAt: null,
  failedAt: null,
  redeemedAt: NOW + 1,
  userId: 7,
};
const FACTS: StoreFacts = {
  integrity: 'ok',
  attempts: [GOOD],
  tokens: [{ attemptId: ID, userId: 7, revokedAt: NOW + 2 }],
  users: [{ id: 7, identityDigest: 'one', document: 'A1' }],
  audit: rows('attempt.authenticated', 'token.issued', 'token.revoked'),
  pushes: [0, 1, 2].map((minute) => push(minute)),
};

function rows(...actions: readonly string[]): StoreFacts['audit'] {
  return actions.map((action, index) => ({ sequence: index + 1, attemptId: ID, action }));
}

function push(minute: number) {
  return { personDigest: 'one', admittedAt: NOW + minute * MINUTE_MS };
}

function withAttempt(changed: Partial<AttemptFact>): Partial<StoreFacts> {
  return { attempts: [{ ...GOOD, ...changed }] };
}

function judgeStore(changed: Partial<StoreFacts>): string[] {
  const history = new History();
  known(history, { ...REDEEMED, revocation: 'acknowledged' });
  checkStore(history, { ...FACTS, ...changed }, LIMIT);
  return history.violations;
}

describe('what applications were told is compared with the store', () => {
  const cases: [string, Partial<StoreFacts>][] = [
    ['integrity', { integrity: 'row 3 missing from index' }],
    ['I1', { tokens: [...FACTS.tokens, ...FACTS.tokens] }],
    ['I2', { attempts: [] }],
    ['I3', withAttempt({ authenticatedAt: null })],
    ['I4', withAttempt({ redeemedAt: null })],
    ['I4', { tokens: [] }],
    ['I5', withAttempt({ rejectedAt: NOW })],
    ['I5', withAttempt({ failedAt: NOW })],
    ['I6', withAttempt({ authenticatedAt: NOW + MINUTE_MS })],
    ['I6', withAttempt({ redeemedAt: NOW + MINUTE_MS })],
    ['I7', { tokens: [{ attemptId: ID, userId: 7, revokedAt: null }] }],
    ['I8', { users: [...FACTS.users, ...FACTS.users] }],
    ['I8', withAttempt({ userId: 8 })],
    ['I10', { pushes: [0, 1, 2, 9].map(push) }],
    ['I11', { audit: rows('attempt.authenticated', 'token.revoked') }],
    [
      'I11',
      { audit: rows('attempt.authenticated', 'token.issued', 'token.issued', 'token.revoked') },
    ],
    ['I11', { audit: FACTS.audit.map((row) => ({ ...row, sequence: (row.sequence ?? 0) + 1 })) }],
  ];
  test.each(cases)('%s', (name, changed) => {
    expect(judgeStore(changed).map((said) => said.split(':')[0])).toContain(name);
  });

  test('a refusal that was acknowledged is there', () => {
    const history = new History();
    known(history, { refusal: 'acknowledged' });
    checkStore(history, { ...FACTS, ...withAttempt({ rejectedAt: null }) });
    expect(history.violations.join()).toContain('I3');
  });

  test('and a store without a fault has none', () => {
    expect(judgeStore({})).toEqual([]);
    expect(judgeStore({ pushes: [0, 1, 2, 10].map(push) })).toEqual([]);
  });
});
