import { expect, test } from 'vitest';
import { parseUserId, type UserId } from '../../src/account/user.ts';
import type { Store } from '../../src/store/ports/store.port.ts';
import { authentication, redemption, sampleAttempt, samplePerson, START } from './samples.ts';
import { useStore, type OpenStore } from './store-under-test.ts';

const RACERS = 32;
const AT = START + 2;
const NOBODY = parseUserId(Number.MAX_SAFE_INTEGER);

export function userTests(open: OpenStore): void {
  const store = useStore(open);

  test('S-72: a user is disabled at one moment, until enabled', async () => {
    const { user } = await signedIn(store());
    expect(await store().findUser(user.id)).toEqual({ ...user, disabledAt: null });
    expect(await store().disableUser(user.id, AT)).toBe(true);
    expect(await store().disableUser(user.id, AT + 1)).toBe(true);
    expect(await store().findUser(user.id)).toEqual({ ...user, disabledAt: AT });
    expect(await store().enableUser(user.id, AT)).toBe(true);
    expect(await store().enableUser(user.id, AT)).toBe(true);
    expect(await store().findUser(user.id)).toEqual(user);
  });

  test('S-72: nobody is not there, and nobody else is touched', async () => {
    const { user } = await signedIn(store());
    const nobody = NOBODY ?? user.id;
    expect(await store().findUser(nobody)).toBeNull();
    expect(await store().disableUser(nobody, AT)).toBe(false);
    expect(await store().enableUser(nobody, AT)).toBe(false);
    const { user: other } = await signedIn(store());
    await store().disableUser(other.id, AT);
    expect(await store().findUser(user.id)).toEqual(user);
  });

  test('S-72: a later login says so, and does not take it away', async () => {
    const person = samplePerson();
    const { user } = await signedIn(store(), person);
    await store().disableUser(user.id, AT);
    const later = await signedIn(store(), { ...person, englishName: 'Later' });
    expect(later.user).toMatchObject({ id: user.id, englishName: 'Later', disabledAt: AT });
    const found = await store().findAttempt(later.attempt.attemptId);
    expect(found?.user?.disabledAt).toBe(AT);
  });

  test('S-64: a person is found by issuer, document and number, and nobody else is', async () => {
    const person = samplePerson();
    expect(await store().findPerson(person)).toBeNull();
    const { user } = await signedIn(store(), person);
    expect(await store().findPerson(person)).toEqual(user);
    const { issuer, documentType, documentNumber } = person;
    expect(await store().findPerson({ issuer, documentType, documentNumber })).toEqual(user);
    const others = [
      { ...person, issuer: 'https://other.example' },
      { ...person, documentType: 'iqama' },
      { ...person, documentNumber: `${documentNumber}0` },
    ] as const;
    for (const other of others) expect(await store().findPerson(other)).toBeNull();
  });

  test('S-73: a disabled user redeems nothing, and an enabled one again', async () => {
    const { attempt, user } = await signedIn(store());
    const before = await store().findAttempt(attempt.attemptId);
    await store().disableUser(user.id, AT);
    expect(await store().redeemAttempt(redemption(attempt))).toBeNull();
    expect(await store().findTokenOfAttempt(attempt.attemptId)).toBeNull();
    expect((await store().findAttempt(attempt.attemptId))?.attempt).toEqual(before?.attempt);
    await store().enableUser(user.id, AT);
    expect(await store().redeemAttempt(redemption(attempt))).not.toBeNull();
  });

  test('S-73: a token of a disabled user is still found, and says why it does not count', async () => {
    const { attempt, user } = await signedIn(store());
    const token = await store().redeemAttempt(redemption(attempt));
    await store().disableUser(user.id, AT);
    const digest = token?.tokenDigest ?? redemption(attempt).token.tokenDigest;
    const found = { token, user: { ...user, disabledAt: AT } };
    expect(await store().findToken(digest)).toEqual(found);
  });

  test('S-73: what is redeemed beside the call counts, what comes after it does not', async () => {
    const person = samplePerson();
    const attempts = [];
    for (let count = 0; count < RACERS; count += 1) {
      attempts.push((await signedIn(store(), person)).attempt);
    }
    const [first] = attempts;
    const found = first === undefined ? null : await store().findAttempt(first.attemptId);
    const userId: UserId | null = found?.user?.id ?? NOBODY;
    if (userId === null) throw new Error('there is no user');
    const half = RACERS / 2;
    const before = attempts.slice(0, half).map((one) => store().redeemAttempt(redemption(one)));
    const disabled = store().disableUser(userId, AT);
    const after = attempts.slice(half).map((one) => store().redeemAttempt(redemption(one)));
    await Promise.all([...before, disabled, ...after]);
    const late = await Promise.all(attempts.map((one) => store().redeemAttempt(redemption(one))));
    expect(late.filter((one) => one !== null)).toEqual([]);
    expect((await store().findUser(userId))?.disabledAt).toBe(AT);
  });
}

async function signedIn(store: Store, person = samplePerson()) {
  const attempt = sampleAttempt();
  await store.insertAttempt(attempt);
  const login = await store.authenticateAttempt(authentication(attempt, { person }));
  if (login?.user === null || login === null) throw new Error('the login was refused');
  return { attempt, user: login.user };
}
