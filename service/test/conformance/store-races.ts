import { expect, test } from 'vitest';
import {
  attemptTokenDigest,
  attemptAt,
  isCancelled,
  type AttemptRecord,
} from '../../src/attempt/attempt.ts';
import { parseNationalId, type Person } from '../../src/account/user.ts';
import type { AttemptWithUser } from '../../src/store/ports/attempts.port.ts';
import type { Store } from '../../src/store/ports/store.port.ts';
import { authentication, redemption, sampleAttempt, samplePerson, START } from './samples.ts';
import { useStore, type OpenStore } from './store-under-test.ts';

const RACERS = 64;
const ROUNDS = 20;
const FIRST_LOGINS = 50;

/** Other values for every attribute that does not identify a person. */
const EVERYTHING_ELSE = {
  nationalId: parseNationalId('2000000002') ?? samplePerson().nationalId,
  arabicName: 'سارا',
  englishName: 'Sarah',
  email: null,
  nationality: 'EG',
  gender: 'M',
  assuranceLevel: 3,
} as const satisfies Partial<Person>;

export function raceTests(open: OpenStore): void {
  const store = useStore(open);

  test(`S-13, S-15: of ${RACERS} redemptions at once one succeeds`, async () => {
    for (let round = 0; round < ROUNDS; round += 1) {
      const attempt = await authenticatedAttempt(store());
      const issued = (await redeemManyTimes(store(), attempt)).filter((one) => one !== null);
      expect(issued).toHaveLength(1);
      const found = await store().findTokenOfAttempt(attempt.attemptId);
      expect(found?.token).toEqual(issued[0]);
    }
  });

  test('S-15: the losers of a race leave no token', async () => {
    const attempt = await authenticatedAttempt(store());
    const changes = Array.from({ length: RACERS }, () => redemption(attempt));
    const results = await Promise.all(changes.map((change) => store().redeemAttempt(change)));
    const digests = changes.map(({ token }) => token.tokenDigest);
    const found = await Promise.all(digests.map((digest) => store().findToken(digest)));
    expect(found.map((one) => one?.token ?? null)).toEqual(results);
  });

  test('S-15: a wrong attempt token redeems nothing', async () => {
    const attempt = await authenticatedAttempt(store());
    const wrong = redemption(attempt, { tokenDigest: attemptTokenDigest('wrong') });
    expect(await store().redeemAttempt(wrong)).toBeNull();
    expect(await store().findTokenOfAttempt(attempt.attemptId)).toBeNull();
    const found = await store().findAttempt(attempt.attemptId);
    expect(found?.attempt.redeemedAt).toBeNull();
  });

  test('S-13: of approval, refusal, failure and cancel at once one succeeds', async () => {
    for (let round = 0; round < ROUNDS; round += 1) {
      const attempt = sampleAttempt();
      await store().insertAttempt(attempt);
      const succeeded = await raceToEnd(store(), attempt, round);
      const found = await store().findAttempt(attempt.attemptId);
      expect(succeeded).toEqual(waysTo(found));
    }
  });

  test(`S-14: ${FIRST_LOGINS} first logins of one person make one user`, async () => {
    const person = samplePerson();
    const attempts = Array.from({ length: FIRST_LOGINS }, () => sampleAttempt());
    await Promise.all(attempts.map((attempt) => store().insertAttempt(attempt)));
    const logins = attempts.map((attempt) =>
      store().authenticateAttempt(authentication(attempt, { person })),
    );
    const ids = (await Promise.all(logins)).map((login) => login?.user?.id);
    expect(new Set(ids).size).toBe(1);
    expect(ids).not.toContain(undefined);
  });

  test('S-14: issuer, document type and document number each make another person', async () => {
    const person = samplePerson();
    const people = [
      person,
      { ...person, issuer: 'https://other.example' },
      { ...person, documentType: 'iqama' as const },
      { ...person, documentNumber: `${person.documentNumber}0` },
    ];
    const ids = new Set<unknown>();
    for (const one of people) ids.add((await authenticatedBy(store(), one)).userId);
    expect(ids.size).toBe(people.length);
  });

  test('S-14: a later login brings the attributes up to date and keeps the user', async () => {
    const person = samplePerson();
    const first = await logIn(store(), authentication(sampleAttempt(), { person }));
    const moved = { ...person, ...EVERYTHING_ELSE };
    const at = START + 7;
    const change = authentication(sampleAttempt({ flow: 'oidc' }), { person: moved, at });
    const later = await logIn(store(), { ...change, preferredLocale: 'ar' });
    expect(later.user).toEqual({
      ...first.user,
      ...moved,
      preferredLocale: 'ar',
      lastAuthMethod: 'oidc',
      updatedAt: at,
    });
  });

  test('S-14: a login that comes too late changes nothing of the user', async () => {
    const person = samplePerson();
    const attempt = sampleAttempt();
    await logIn(store(), authentication(attempt, { person }));
    const late = { ...person, englishName: 'Somebody' };
    const again = authentication(attempt, { person: late });
    expect(await store().authenticateAttempt(again)).toBeNull();
    const found = await store().findAttempt(attempt.attemptId);
    expect(found?.user?.englishName).toBe(person.englishName);
  });
}

async function logIn(store: Store, change: ReturnType<typeof authentication>) {
  await store.insertAttempt(sampleAttempt({ attemptId: change.attemptId, flow: change.flow }));
  const result = await store.authenticateAttempt(change);
  if (result === null) throw new Error('the login was refused');
  return result;
}

async function authenticatedAttempt(store: Store): Promise<AttemptRecord> {
  return authenticatedBy(store, samplePerson());
}

async function authenticatedBy(
  store: Store,
  person: ReturnType<typeof samplePerson>,
): Promise<AttemptRecord> {
  const attempt = sampleAttempt();
  await store.insertAttempt(attempt);
  const result = await store.authenticateAttempt(authentication(attempt, { person }));
  if (result === null) throw new Error('the login was refused');
  return result.attempt;
}

function redeemManyTimes(store: Store, attempt: AttemptRecord) {
  const racers = Array.from({ length: RACERS }, () => store.redeemAttempt(redemption(attempt)));
  return Promise.all(racers);
}

/** In another order in each round, because the first call usually wins. */
/** @returns the names of those that succeeded, sorted */
async function raceToEnd(store: Store, attempt: AttemptRecord, round: number): Promise<string[]> {
  const { attemptId } = attempt;
  const end = { attemptId, at: START + 1 };
  const ways = [
    ['approve', () => store.authenticateAttempt(authentication(attempt))],
    ['refuse', () => store.rejectAttempt({ ...end, reason: 'attempt.rejected' })],
    ['fail', () => store.failAttempt({ ...end, reason: 'provider.timeout' })],
    ['cancel', () => store.cancelAttempt(end)],
  ] as const;
  const first = round % ways.length;
  const inTurn = [...ways.slice(first), ...ways.slice(0, first)];
  const ends = await Promise.all(inTurn.map(async ([name, way]) => ({ name, end: await way() })));
  return ends
    .filter((one) => one.end !== null)
    .map(({ name }) => name)
    .toSorted();
}

/**
 * Which of them led to what the store has. An authenticated attempt can still fail, and is without
 * its user once it is cancelled: from the row alone, a cancel may have come first or second.
 */
function waysTo(found: AttemptWithUser | null): unknown {
  const state = found === null ? null : attemptAt(found.attempt, START + 1);
  if (state?.state === 'authenticated') return ['approve'];
  if (state?.state === 'failed') return found?.user === null ? ['fail'] : ['approve', 'fail'];
  if (state?.state === 'rejected' && !isCancelled(state)) return ['refuse'];
  if (state === null || !isCancelled(state)) return 'one of the four';
  return expect.toBeOneOf([['cancel'], ['approve', 'cancel']]);
}
