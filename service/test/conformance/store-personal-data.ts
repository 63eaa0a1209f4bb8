import { expect, test } from 'vitest';
import type { AttemptId } from '../../src/values/ids.ts';
import type { AttemptRecord } from '../../src/attempt/attempt.ts';
import {
  parseNationalId,
  type NationalId,
  type Person,
  type User,
} from '../../src/account/user.ts';
import { PUSH_BUDGET } from '../../src/attempt/start/push-budget.ts';
import type { Store } from '../../src/store/ports/store.port.ts';
import {
  authentication,
  digestNamed,
  nextSerial,
  opening,
  redemption,
  sampleAttempt,
  sampleCall,
  samplePerson,
  START,
} from './samples.ts';
import { withStore, type OpenStore } from './store-under-test.ts';

const AT = START + 50;

export function personalDataTests(open: OpenStore): void {
  test('S-100: a person is found by the national id and by the number of the document', () =>
    withStore(open, async (store) => {
      const { user } = await personIn(store);
      const other = await personIn(store);
      const byId = await store.findUsersNamed(user.nationalId);
      expect(byId).toEqual([user]);
      const document = parseNationalId(other.user.documentNumber);
      expect(document === null ? [] : await store.findUsersNamed(document)).toEqual([other.user]);
    }));

  test('S-100: two users with one number are both found, by their ids', () =>
    withStore(open, async (store) => {
      const { user, person } = await personIn(store);
      const second = await signIn(store, { ...person, issuer: 'https://other.example' });
      const found = await store.findUsersNamed(user.nationalId);
      expect(found.map(({ id }) => id)).toEqual([user.id, second.user.id]);
    }));

  test('S-101: the records are those of the user, and of attempts that ask for their number', () =>
    withStore(open, async (store) => {
      const { user, attempt, digest } = await personIn(store);
      const naming = await asksFor(store, user);
      await personIn(store);
      const records = await store.readRecords(user, [digest, digestNamed('nobody')]);
      const ids = [attempt.attemptId, naming.attemptId];
      expect(records.attempts.map(({ attemptId }) => attemptId)).toEqual(ids);
      expect(records.attempts[1]).toEqual(naming);
      const issued = await store.findTokenOfAttempt(attempt.attemptId);
      expect(records.tokens).toEqual([issued?.token]);
      expect(records.pushes).toEqual([
        {
          attemptId: attempt.attemptId,
          client: 'simulator',
          admittedAt: START,
          countsUntil: expect.any(Number) as unknown,
        },
      ]);
    }));

  test('S-101, S-102: of two users with one number each has their own, and an erasure ends one', () =>
    withStore(open, async (store) => {
      const { user, attempt, digest, person } = await personIn(store);
      expect((await store.readRecords(user, [])).isShared).toBe(false);
      const other = await signIn(store, { ...person, documentType: 'border' }, person.nationalId);
      const naming = await asksFor(store, user);
      for (const [one, own] of [
        [user, attempt],
        [other.user, other.attempt],
      ] as const) {
        const records = await store.readRecords(one, []);
        const ids = records.attempts.map(({ attemptId }) => attemptId);
        expect(ids).toEqual([own.attemptId, naming.attemptId]);
        expect(records.isShared).toBe(true);
      }
      const erasure = { userId: user.id, at: AT, pushesOf: [digest], keepsOut: null };
      expect(await store.eraseUser(erasure)).toEqual({ tokens: 1, attempts: 2 });
      const stays = await store.findAttempt(other.attempt.attemptId);
      expect(stays?.attempt.userId).toBe(other.user.id);
      expect(await store.findUser(other.user.id)).toEqual(other.user);
    }));

  test('S-102: nothing of the user is left, and everything of others is', () =>
    withStore(open, async (store) => {
      const gone = await personIn(store);
      const naming = await asksFor(store, gone.user);
      const other = await personIn(store);
      const before = await everythingOf(store, other);
      expect(before.records.pushes).toHaveLength(1);
      const erasure = { userId: gone.user.id, at: AT, pushesOf: [gone.digest], keepsOut: null };
      expect(await store.eraseUser(erasure)).toEqual({ tokens: 1, attempts: 2 });
      expect(await store.findUser(gone.user.id)).toBeNull();
      expect(await store.findPerson(gone.person)).toBeNull();
      for (const { attemptId } of [gone.attempt, naming]) {
        expect(await store.findAttempt(attemptId)).toBeNull();
        expect(await store.findTransaction(attemptId)).toBeNull();
        expect(await store.listCalls(attemptId)).toEqual([]);
        expect(await store.findTokenOfAttempt(attemptId)).toBeNull();
      }
      const left = await store.readRecords(gone.user, [gone.digest]);
      expect(left).toEqual({ tokens: [], attempts: [], pushes: [], openid: [], isShared: false });
      expect(await everythingOf(store, other)).toEqual(before);
      expect(await store.eraseUser(erasure)).toBe('unknown');
    }));

  test('S-102: an open attempt of the user gives no token any more', () =>
    withStore(open, async (store) => {
      const person = newPerson();
      const attempt = sampleAttempt({ nationalId: person.nationalId });
      await store.insertAttempt(attempt);
      const login = await store.authenticateAttempt(authentication(attempt, { person }));
      const pending = sampleAttempt({ nationalId: person.nationalId });
      await store.insertAttempt(pending);
      if (login?.user === null || login === null) throw new Error('not signed in');
      await store.eraseUser({ userId: login.user.id, at: AT, pushesOf: [], keepsOut: null });
      expect(await store.redeemAttempt(redemption(attempt, { at: AT + 1 }))).toBeNull();
      const late = authentication(pending, { person, at: AT + 1 });
      expect(await store.authenticateAttempt(late)).toBeNull();
      expect(await store.findPerson(person)).toBeNull();
    }));

  test('S-102: of the attempts that begin meanwhile, all from before the erasure are gone', () =>
    withStore(open, async (store) => {
      const { user, digest } = await personIn(store);
      const begun = beginUntilErased(store, user);
      // So that the erasure finds some of them and misses others.
      await begun.some;
      await store.eraseUser({ userId: user.id, at: AT, pushesOf: [digest], keepsOut: null });
      const before = await begun.before;
      expect(before.length).toBeGreaterThan(0);
      const left = await Promise.all(before.map((attemptId) => store.findAttempt(attemptId)));
      expect(left.filter((found) => found !== null)).toEqual([]);
    }));

  test('S-102: the row in the log names nobody, and an id is given once', () =>
    withStore(open, async (store) => {
      const { user, person } = await personIn(store);
      await store.eraseUser({ userId: user.id, at: AT, pushesOf: [], keepsOut: null });
      const rows = (await store.readAudit({ after: 0, limit: 1000 })).filter(
        ({ action }) => action === 'user.erased',
      );
      const nobody = { attemptId: null, userId: null, client: null, personDigest: null };
      expect(rows).toEqual([expect.objectContaining({ at: AT, ...nobody })]);
      const again = await signIn(store, person);
      expect(again.user.id).toBeGreaterThan(user.id);
      expect(again.user.disabledAt).toBeNull();
    }));

  test('S-103: a disabled user is erased only after a decision', () =>
    withStore(open, async (store) => {
      const { user, person } = await personIn(store);
      await store.disableUser(user.id, AT);
      const erasure = { userId: user.id, at: AT, pushesOf: [], keepsOut: null };
      expect(await store.eraseUser(erasure)).toBe('undecided');
      expect(await store.findUser(user.id)).toEqual({ ...user, disabledAt: AT });
      expect(await store.eraseUser({ ...erasure, keepsOut: false })).toMatchObject({ tokens: 1 });
      expect((await signIn(store, person)).user.disabledAt).toBeNull();
    }));

  test('S-103: who is kept out comes back disabled, until they are enabled', () =>
    withStore(open, async (store) => {
      const { user, person } = await personIn(store);
      await store.disableUser(user.id, AT);
      await store.eraseUser({ userId: user.id, at: AT + 1, pushesOf: [], keepsOut: true });
      const back = await signIn(store, person);
      expect(back.user).toMatchObject({ disabledAt: AT + 1 });
      expect(await store.redeemAttempt(redemption(back.attempt))).toBeNull();
      expect((await personIn(store)).user.disabledAt).toBeNull();
      expect(await store.verifyAudit()).toMatchObject({ ok: true });
      await store.enableUser(back.user.id, AT + 2);
      await store.eraseUser({ userId: back.user.id, at: AT + 3, pushesOf: [], keepsOut: null });
      expect((await signIn(store, person)).user.disabledAt).toBeNull();
    }));

  test('S-104: the log verifies after an erasure, and after the person has come back', () =>
    withStore(open, async (store) => {
      const { user, person, digest } = await personIn(store);
      await personIn(store);
      expect(await store.verifyAudit()).toMatchObject({ ok: true });
      await store.eraseUser({ userId: user.id, at: AT, pushesOf: [digest], keepsOut: null });
      expect(await store.verifyAudit()).toMatchObject({ ok: true });
      await signIn(store, person);
      expect(await store.verifyAudit()).toMatchObject({ ok: true });
    }));

  test('S-105: without an earlier key nobody is kept out under one', () =>
    withStore(open, async (store) => {
      const { user } = await personIn(store);
      await store.eraseUser({ userId: user.id, at: AT, pushesOf: [], keepsOut: true });
      expect(await store.countKeptOutBefore()).toBe(0);
    }));
}

/** Two numbers that nobody else has. */
function newPerson(): Person {
  const nationalId = parseNationalId(String(2_000_000_000 + nextSerial()));
  if (nationalId === null) throw new Error('not a national id');
  return samplePerson({ nationalId, documentNumber: String(3_000_000_000 + nextSerial()) });
}

async function signIn(store: Store, person: Person, nationalId: NationalId | null = null) {
  const attempt = sampleAttempt(nationalId === null ? {} : { nationalId });
  await store.insertAttempt(attempt);
  const login = await store.authenticateAttempt(authentication(attempt, { person }));
  if (login === null || login.user === null) throw new Error('the login was refused');
  return { attempt, user: login.user };
}

/** A person with an attempt, a transaction, a call, a push and a token. */
async function personIn(store: Store) {
  const person = newPerson();
  const digest = digestNamed(`pushes of ${person.nationalId}`);
  const attempt = sampleAttempt({ nationalId: person.nationalId });
  const { attemptId, client } = attempt;
  await store.insertAttempt(attempt);
  const push = { attemptId, personDigest: digest, client, at: START, budget: PUSH_BUDGET };
  if (!(await store.admitPush(push))) throw new Error('the push was refused');
  await store.openTransaction(opening(attempt));
  await store.recordCall(sampleCall(attemptId));
  const login = await store.authenticateAttempt(authentication(attempt, { person, at: START + 2 }));
  await store.redeemAttempt(redemption(attempt, { at: START + 3 }));
  if (login === null || login.user === null) throw new Error('the login was refused');
  return { person, digest, attempt, user: login.user };
}

/** An attempt that asks for the user and was not finished. */
async function asksFor(store: Store, { nationalId }: User): Promise<AttemptRecord> {
  const attempt = sampleAttempt({ nationalId });
  await store.insertAttempt(attempt);
  await store.openTransaction(opening(attempt));
  await store.recordCall(sampleCall(attempt.attemptId));
  return (await store.findAttempt(attempt.attemptId))?.attempt ?? attempt;
}

async function everythingOf(
  store: Store,
  { user, attempt, digest }: Awaited<ReturnType<typeof personIn>>,
) {
  const { attemptId } = attempt;
  return {
    user: await store.findUser(user.id),
    attempt: await store.findAttempt(attemptId),
    transaction: await store.findTransaction(attemptId),
    calls: await store.listCalls(attemptId),
    token: await store.findTokenOfAttempt(attemptId),
    records: await store.readRecords(user, [digest]),
  };
}

const AT_ONCE = 8;

/** Attempts that ask for the user: those after which the user was still there, by their ids. */
function beginUntilErased(store: Store, user: User) {
  const { promise: some, resolve } = Promise.withResolvers<void>();
  const before: AttemptId[] = [];
  const beginOnAndOn = async () => {
    for (let isThere = true; isThere;) {
      const attempt = sampleAttempt({ nationalId: user.nationalId });
      await store.insertAttempt(attempt);
      isThere = (await store.findUser(user.id)) !== null;
      if (isThere) before.push(attempt.attemptId);
      if (before.length >= AT_ONCE) resolve();
    }
  };
  const all = Promise.all(Array.from({ length: AT_ONCE }, beginOnAndOn));
  return { some, before: all.then(() => before) };
}
