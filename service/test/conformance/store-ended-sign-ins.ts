import { expect, test } from 'vitest';
import type { Person, User } from '../../src/account/user.ts';
import type { Store } from '../../src/store/ports/store.port.ts';
import {
  authentication,
  opening,
  redemption,
  redirectTransaction,
  sampleAttempt,
  samplePerson,
  START,
} from './samples.ts';
import { withStore, type OpenStore } from './store-under-test.ts';

const AT = START + 5;

/** Attempts of which nobody knows whose they are when an operator ends the sign-ins of one user. */
export function endedSignInTests(open: OpenStore): void {
  test.each([
    ['before', START],
    ['at', AT],
  ])('S-79: what began %s that time and turns out to be theirs is nobody’s', (_, createdAt) =>
    withStore(open, async (store) => {
      const person = samplePerson();
      const user = await signIn(store, person);
      const [theirs, another] = [await redirect(store, createdAt), await redirect(store)];
      expect(await store.revokeAll(AT, { userId: user.id })).toMatchObject({ attempts: 0 });
      const ended = { ...user, signInsEndedAt: AT };
      expect(await store.findUser(user.id)).toEqual(ended);
      const changed = { ...person, englishName: 'Somebody' };
      const login = authentication(theirs, { person: changed, at: AT });
      expect(await store.authenticateAttempt(login)).toBeNull();
      expect(await store.findPerson(person)).toEqual(ended);
      expect(await store.lastUserId()).toBe(user.id);
      expect((await store.findAttempt(theirs.attemptId))?.attempt).toEqual(theirs);
      // Somebody else may go on, and so may a sign-in that the person begins now.
      expect(await store.authenticateAttempt(authentication(another, { at: AT }))).not.toBeNull();
      const later = await redirect(store, AT + 1);
      const again = await store.authenticateAttempt(authentication(later, { person, at: AT + 2 }));
      expect(again?.user).toMatchObject({ id: user.id, signInsEndedAt: AT });
      expect(await store.redeemAttempt(redemption(later, { at: AT + 3 }))).not.toBeNull();
    }),
  );

  test('S-79: what a clock that is ahead has begun is ended too', () =>
    withStore(open, async (store) => {
      const person = samplePerson();
      const { id: userId } = await signIn(store, person);
      const theirs = await redirect(store, AT + 100);
      await store.revokeAll(AT, { userId });
      const login = authentication(theirs, { person, at: AT + 101 });
      expect(await store.authenticateAttempt(login)).toBeNull();
      const dated = { ...theirs, createdAt: AT };
      expect((await store.findAttempt(theirs.attemptId))?.attempt).toEqual(dated);
    }));

  test('S-79: what is expired for a clock that is ahead gives no token to one that is not', () =>
    withStore(open, async (store) => {
      const attempt = sampleAttempt({ expiresAt: START + 2 });
      await store.insertAttempt(attempt);
      const login = await store.authenticateAttempt(authentication(attempt));
      const userId = login?.user?.id ?? expect.unreachable('the login was refused');
      // It is not open for the operator's clock any more, so it does not fail.
      expect(await store.revokeAll(AT, { userId })).toMatchObject({ attempts: 0 });
      expect(await store.redeemAttempt(redemption(attempt, { at: START + 1 }))).toBeNull();
      expect(await store.findTokenOfAttempt(attempt.attemptId)).toBeNull();
    }));

  test('S-79: the latest time counts', () =>
    withStore(open, async (store) => {
      const { id: userId } = await signIn(store, samplePerson());
      for (const at of [AT + 1, AT]) await store.revokeAll(at, { userId });
      expect((await store.findUser(userId))?.signInsEndedAt).toBe(AT + 1);
    }));

  test('S-79: beside sign-ins of the person, no token comes out that counts', () =>
    withStore(open, async (store) => {
      const person = samplePerson();
      const { id: userId } = await signIn(store, person);
      const begun = await Promise.all(Array.from({ length: 32 }, () => redirect(store)));
      const goOn = async (one: (typeof begun)[number]) => {
        await store.authenticateAttempt(authentication(one, { person, at: AT }));
        return store.redeemAttempt(redemption(one, { at: AT }));
      };
      await Promise.all([
        ...begun.slice(0, 16).map(goOn),
        store.revokeAll(AT, { userId }),
        ...begun.slice(16).map(goOn),
      ]);
      for (const one of begun) {
        const found = await store.findTokenOfAttempt(one.attemptId);
        expect(found === null || found.token.revokedAt === AT).toBe(true);
        expect(await goOn(one)).toBeNull();
      }
      expect(await store.verifyAudit()).toMatchObject({ ok: true });
    }));
}

async function redirect(store: Store, createdAt = START) {
  const attempt = sampleAttempt({ flow: 'oidc', nationalId: null, createdAt });
  await store.insertAttempt(attempt);
  const transaction = redirectTransaction();
  const opened = opening(attempt, { transaction, bindingCode: null, providerExpiresAt: null });
  const record = await store.openTransaction(opened);
  return record ?? expect.unreachable('the attempt was not opened');
}

async function signIn(store: Store, person: Person): Promise<User> {
  const attempt = sampleAttempt({ expiresAt: START + 2 });
  await store.insertAttempt(attempt);
  const login = await store.authenticateAttempt(authentication(attempt, { person }));
  return login?.user ?? expect.unreachable('the login was refused');
}
