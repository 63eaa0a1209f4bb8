import { beforeAll, describe, expect, test } from 'vitest';
import {
  attemptAt,
  authenticate,
  cancel,
  expiryOf,
  fail,
  countWrongCode,
  redeem,
  reject,
  type Attempt,
  type AttemptRecord,
} from '../../src/attempt/attempt.ts';
import {
  completionCodeDigest,
  COMPLETION_CODE_TRIES,
} from '../../src/attempt/redeem/completion-code.ts';
import { Refusal } from '../../src/errors/refusal.ts';
import type { Ms } from '../../src/values/time.ts';
import type { Person, User, UserId } from '../../src/account/user.ts';
import type { Store } from '../../src/store/ports/store.port.ts';
import { authentication, redemption, sampleAttempt, samplePerson, SEAL, START } from './samples.ts';
import { useStore, type OpenStore } from './store-under-test.ts';

const PERSON = samplePerson();
const RIGHT_CODE = completionCodeDigest('right');
const WRONG_CODE = completionCodeDigest('wrong');
const CODE_EXPIRES_AT = START + 1000;
const PROVIDER_EXPIRES_AT = START + 2000;

type MakeState = (attempt: AttemptRecord, userId: UserId) => AttemptRecord;

const authenticated: MakeState = (attempt, userId) => ({
  ...attempt,
  userId,
  authenticatedAt: START + 1,
});

const withCode: MakeState = (attempt, userId) => ({
  ...authenticated(attempt, userId),
  completionDigest: RIGHT_CODE,
  completionExpiresAt: CODE_EXPIRES_AT,
});

const STATES: Readonly<Record<string, MakeState>> = {
  pending: (attempt) => attempt,
  'pending, the provider ends earlier': (attempt) => ({
    ...attempt,
    providerExpiresAt: PROVIDER_EXPIRES_AT,
  }),
  'pending, the provider ends later': (attempt) => ({
    ...attempt,
    providerExpiresAt: attempt.expiresAt + 1,
  }),
  'pending, by redirect': (attempt) => ({ ...attempt, flow: 'oidc' }),
  authenticated,
  'authenticated, the provider ends earlier': (attempt, userId) => ({
    ...authenticated(attempt, userId),
    providerExpiresAt: PROVIDER_EXPIRES_AT,
  }),
  'authenticated with a code': withCode,
  'authenticated, two tries left': (attempt, userId) => ({
    ...withCode(attempt, userId),
    completionMisses: COMPLETION_CODE_TRIES - 2,
  }),
  'authenticated, one try left': (attempt, userId) => ({
    ...withCode(attempt, userId),
    completionMisses: COMPLETION_CODE_TRIES - 1,
  }),
  rejected: (attempt) => ({
    ...attempt,
    rejectedAt: START + 1,
    endReason: 'attempt.rejected',
  }),
  cancelled: (attempt) => ({
    ...attempt,
    rejectedAt: START + 1,
    endReason: 'attempt.cancelled',
  }),
  failed: (attempt) => ({ ...attempt, failedAt: START + 1, endReason: 'provider.timeout' }),
  'failed after authentication': (attempt, userId) => ({
    ...authenticated(attempt, userId),
    failedAt: START + 2,
    endReason: 'attempt.failed',
  }),
  redeemed: (attempt, userId) => ({
    ...authenticated(attempt, userId),
    redeemedAt: START + 2,
    redemption: SEAL,
  }),
};

interface Transition {
  readonly domain: (attempt: Attempt, at: Ms, userId: UserId) => AttemptRecord;
  readonly store: (store: Store, attempt: AttemptRecord, at: Ms) => Promise<unknown>;
}

/**
 * The same person with another name at each time, so that a refused login that was written is
 * found.
 */
function personAt(at: Ms): Person {
  return { ...PERSON, englishName: `Sara at ${at}` };
}

const REASON = 'provider.timeout';
const CODE = { digest: RIGHT_CODE, expiresAt: CODE_EXPIRES_AT };

function authenticating(completion: typeof CODE | null): Transition {
  return {
    domain: (attempt, at, userId) => authenticate(attempt, { flow: 'mfa', userId, at, completion }),
    store: (store, attempt, at) =>
      store.authenticateAttempt(
        authentication(attempt, { flow: 'mfa', at, person: personAt(at), completion }),
      ),
  };
}

function redeeming(
  completionDigest: typeof RIGHT_CODE | null,
  seal: typeof SEAL | null,
): Transition {
  return {
    domain: (attempt, at) => redeem(attempt, { at, completionDigest, seal }),
    store: (store, attempt, at) =>
      store.redeemAttempt(redemption(attempt, { at, completionDigest, seal })),
  };
}

function consuming(completionDigest: typeof RIGHT_CODE | null): Transition {
  return {
    domain: (attempt, at) => redeem(attempt, { at, completionDigest, seal: null }),
    store: (store, { attemptId }, at) => {
      const begins = { model: 'Grant', id: attemptId, expiresAt: at };
      return store.consumeAttempt({ attemptId, at, completionDigest, subject: attemptId, begins });
    },
  };
}

const TRANSITIONS: Readonly<Record<string, Transition>> = {
  authenticate: authenticating(null),
  'authenticate with a code': authenticating(CODE),
  reject: {
    domain: (attempt, at) => reject(attempt, at, REASON),
    store: (store, { attemptId }, at) => store.rejectAttempt({ attemptId, at, reason: REASON }),
  },
  fail: {
    domain: (attempt, at) => fail(attempt, at, REASON),
    store: (store, { attemptId }, at) => store.failAttempt({ attemptId, at, reason: REASON }),
  },
  cancel: {
    domain: (attempt, at) => cancel(attempt, at),
    store: (store, { attemptId }, at) => store.cancelAttempt({ attemptId, at }),
  },
  countWrongCode: {
    domain: (attempt, at) => countWrongCode(attempt, at),
    store: (store, { attemptId }, at) => store.countWrongCode(attemptId, at),
  },
  'redeem without a code': redeeming(null, null),
  'redeem with the right code': redeeming(RIGHT_CODE, SEAL),
  'consume without a code': consuming(null),
  'consume with the right code': consuming(RIGHT_CODE),
  'redeem with a wrong code': redeeming(WRONG_CODE, SEAL),
};

/** Both sides of every time limit: the last millisecond before it, and the limit itself. */
function momentsOf(attempt: AttemptRecord): Ms[] {
  const ends = [CODE_EXPIRES_AT, PROVIDER_EXPIRES_AT, attempt.expiresAt, expiryOf(attempt)];
  return [START + 3, ...ends.flatMap((end) => [end - 1, end]), attempt.expiresAt + 1];
}

function resultOf(transition: () => AttemptRecord): AttemptRecord | null {
  try {
    return transition();
  } catch (error) {
    if (error instanceof Refusal) return null;
    throw error;
  }
}

/** In a store with a vault an attempt loses its national id when it ends (S-61). */
function forget(before: AttemptRecord, after: AttemptRecord): AttemptRecord {
  const { authenticatedAt, rejectedAt, failedAt } = before;
  const isEnd =
    after.authenticatedAt !== authenticatedAt ||
    after.rejectedAt !== rejectedAt ||
    after.failedAt !== failedAt;
  return isEnd ? { ...after, nationalId: null } : after;
}

export function transitionTests(open: OpenStore, erasesIdentifiers: boolean): void {
  const store = useStore(open);
  const first = sampleAttempt();
  let user: User;

  beforeAll(async () => {
    await store().insertAttempt(first);
    const known = await store().authenticateAttempt(authentication(first, { person: PERSON }));
    if (!known?.user) throw new Error('the first login failed');
    user = known.user;
  });

  describe.each(Object.entries(STATES))('from %s', (_, makeState) => {
    test.each(Object.entries(TRANSITIONS))(
      'S-12: %s does what the domain does',
      async (__, way) => {
        for (const at of momentsOf(makeState(sampleAttempt(), user.id))) {
          const before = makeState(sampleAttempt(), user.id);
          await store().insertAttempt(before);
          const after = resultOf(() => way.domain(attemptAt(before, at), at, user.id));
          const expected = after !== null && erasesIdentifiers ? forget(before, after) : after;
          const result = await way.store(store(), before, at);
          expect(result === null).toBe(expected === null);
          if (result !== null) expect(attemptIn(result) ?? expected).toEqual(expected);
          const found = await store().findAttempt(before.attemptId);
          expect(found?.attempt).toEqual(expected ?? before);
          user = userIn(result) ?? user;
          expect((await store().findAttempt(first.attemptId))?.user).toEqual(user);
        }
      },
    );
  });

  test.each(Object.entries(TRANSITIONS))('S-12: %s of an unknown id gives null', async (_, way) => {
    expect(await way.store(store(), sampleAttempt(), START + 3)).toBeNull();
  });
}

/** The attempt in a transition's result; the result of a redemption is the token instead. */
function attemptIn(result: unknown): unknown {
  if (typeof result !== 'object' || result === null || 'tokenId' in result) return undefined;
  return 'attempt' in result ? result.attempt : result;
}

/** The user in a transition's result, as the login has changed them. */
function userIn(result: unknown): User | null {
  const holder = result as { readonly user?: User | null } | null;
  return holder?.user ?? null;
}
