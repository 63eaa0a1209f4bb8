import { expect, test } from 'vitest';
import type { Person, User, UserId } from '../../src/account/user.ts';
import type { OpenidRecord, Store } from '../../src/store/ports/store.port.ts';
import type { Twin } from '../../src/store/ports/users.port.ts';
import { authentication, nextSerial, sampleAttempt, samplePerson, START } from './samples.ts';

/** One database, which is opened under one key after the other. */
export interface Keyed {
  /**
   * The numbers identify keys, the current one first. To be closed before the next is opened.
   */
  readonly under: (...keys: Keys) => Promise<Store>;
}

type Keys = readonly [current: number, ...retired: number[]];

const EARLIER: Keys = [1];
const CHANGED: Keys = [2, 1];
const ERASED = START + 50;

/** Who was erased and is kept out, before and after the key of the vault was changed. */
export function changedKeyTests(create: () => Promise<Keyed>): void {
  test('S-77: who is kept out under a later key is disabled in a backup under an earlier one', async () => {
    const person = samplePerson();
    const [later, backup] = [await create(), await create()];
    for (const { under } of [later, backup]) {
      await using(await under(...EARLIER), (store) => signIn(store, person));
    }
    const keptOut = await using(await later.under(...CHANGED), async (store) => {
      await store.rotateKeys(10, START + 40);
      await erase(store, await signIn(store, person), true);
      return store.listKeptOut();
    });
    await using(await backup.under(...CHANGED), async (store) => {
      const stays = await signIn(store, samplePerson());
      const change = { at: START + 60, disabled: [], keptOut, lastUserId: 0, isContinued: true };
      expect(await store.restore(change)).toMatchObject({ disabled: 1 });
      expect((await signIn(store, person)).disabledAt).toBe(START + 60);
      expect((await store.findUser(stays.id))?.disabledAt).toBeNull();
      expect(await store.verifyAudit()).toMatchObject({ ok: true });
    });
  });

  test.each(['enabled', 'erased and let back'] as const)(
    'S-103: who is %s is not kept out any more, under whichever key that was written',
    async (how) => {
      const person = samplePerson();
      const { under } = await create();
      const keptOut = await using(await under(...EARLIER), async (store) => {
        await erase(store, await signIn(store, person), true);
        return store.listKeptOut();
      });
      await using(await under(...CHANGED), async (store) => {
        const back = await signIn(store, person);
        expect(back.disabledAt).toBe(ERASED);
        // As after the restore of a backup that was made under the earlier key.
        const change = { at: START + 60, disabled: [], keptOut, lastUserId: 0, isContinued: true };
        await store.restore(change);
        expect(await store.listKeptOut()).toHaveLength(2);
        if (how === 'enabled') await store.enableUser(back.id, START + 61);
        else await erase(store, back, false);
        expect(await store.listKeptOut()).toEqual([]);
        expect((await signIn(store, person)).disabledAt).toBeNull();
      });
    },
  );

  test('S-127, S-128: a person keeps their sub, and what is kept is sealed anew', async () => {
    const person = samplePerson();
    const record = openidRecord();
    const { under } = await create();
    const before = await using(await under(...EARLIER), async (store) => {
      await store.putOpenid(record);
      return subjectOf(store, person);
    });
    await using(await under(...CHANGED), async (store) => {
      expect((await store.findOpenid(record))?.body).toBe(record.body);
      expect(await subjectOf(store, person)).toBe(before);
      await store.rotateKeys(10, START + 60);
      // The record, and the grant of the first sign-in.
      expect(await store.resealOpenid(10)).toBe(2);
      expect(await store.resealOpenid(10)).toBe(0);
    });
    await using(await under(2), async (store) => {
      expect((await store.findOpenid(record))?.body).toBe(record.body);
      expect(await subjectOf(store, person)).toBe(before);
      expect((await store.findSubject(before))?.englishName).toBe(person.englishName);
    });
  });

  test('S-63: two users of one person stay as they are, and everybody else is sealed anew', async () => {
    const person = samplePerson();
    const { under } = await create();
    const older = await using(await under(...EARLIER), async (store) => {
      await signIn(store, samplePerson());
      return signIn(store, person);
    });
    // As of a service that lacks the earlier key.
    const newer = await using(await under(2), (store) => signIn(store, person));
    expect(newer.id).not.toBe(older.id);
    await using(await under(...CHANGED), async (store) => {
      await expectTwins(store, { user: older.id, other: newer.id });
      await erase(store, newer, false);
      expect(await store.rotateKeys(10, START + 61)).toEqual({ sealed: 1, twins: [] });
      expect((await signIn(store, person)).id).toBe(older.id);
      expect(await store.verifyAudit()).toMatchObject({ ok: true });
    });
  });

  test('S-63: of two users of one person under two earlier keys the older one is sealed anew', async () => {
    const person = samplePerson();
    const { under } = await create();
    const older = await using(await under(2), async (store) => {
      await signIn(store, samplePerson());
      return signIn(store, person);
    });
    const newer = await using(await under(1), (store) => signIn(store, person));
    await using(await under(3, 1, 2), async (store) => {
      const found = await store.rotateKeys(10, START + 60);
      expect(found).toEqual({ sealed: 2, twins: [{ user: newer.id, other: older.id }] });
      expect((await signIn(store, person)).id).toBe(older.id);
    });
  });

  test('S-126: what is under a lost key goes with the people whose key it was', async () => {
    const record = openidRecord();
    const { under } = await create();
    await using(await under(...EARLIER), async (store) => {
      await store.putOpenid(record);
      await signIn(store, samplePerson());
    });
    await using(await under(2), async (store) => {
      expect(await store.forgetLost(START + 60)).toBe(1);
      expect(await store.findOpenid(record)).toBeNull();
    });
  });

  test('S-103: who has come back is kept out under the new key after the rotation', async () => {
    const person = samplePerson();
    const { under } = await create();
    await using(await under(...EARLIER), async (store) => {
      await erase(store, await signIn(store, person), true);
      await signIn(store, person);
    });
    await using(await under(...CHANGED), async (store) => {
      await store.rotateKeys(10, START + 60);
      expect(await store.countKeptOutBefore()).toBe(0);
      expect(await store.verifyAudit()).toMatchObject({ ok: true });
    });
    await using(await under(2), async (store) => {
      const back = await signIn(store, person);
      expect(back.disabledAt).toBe(ERASED);
      await store.enableUser(back.id, START + 61);
      expect(await store.listKeptOut()).toEqual([]);
    });
  });

  test('S-103: who was kept out under both keys is so under one after they have come back', async () => {
    const person = samplePerson();
    const { under } = await create();
    const keptOut = await using(await under(...EARLIER), async (store) => {
      await erase(store, await signIn(store, person), true);
      return store.listKeptOut();
    });
    await using(await under(...CHANGED), async (store) => {
      await signIn(store, person);
      await store.restore({
        at: START + 60,
        disabled: [],
        keptOut,
        lastUserId: 0,
        isContinued: true,
      });
      await signIn(store, person);
      expect(await store.listKeptOut()).toHaveLength(1);
      expect(await store.countKeptOutBefore()).toBe(0);
      expect(await store.verifyAudit()).toMatchObject({ ok: true });
    });
  });

  test('S-79: whose sign-ins were ended under an earlier key is found under the current one', async () => {
    const person = samplePerson();
    const { under } = await create();
    const begun = sampleAttempt({ flow: 'oidc', nationalId: null });
    const user = await using(await under(...EARLIER), async (store) => {
      const { id } = await signIn(store, person);
      await store.insertAttempt(begun);
      await store.revokeAll(START + 5, { userId: id });
      return store.findUser(id);
    });
    await using(await under(...CHANGED), async (store) => {
      expect(await store.authenticateAttempt(authentication(begun, { person }))).toBeNull();
      // The user is still sealed under the earlier key, and can be read.
      expect(await store.findPerson(person)).toEqual(user);
      const later = sampleAttempt({ createdAt: START + 6 });
      await store.insertAttempt(later);
      const login = await store.authenticateAttempt(authentication(later, { person }));
      expect(login?.user?.id).toBe(user?.id);
    });
  });
}

async function using<Result>(store: Store, use: (store: Store) => Promise<Result>) {
  try {
    return await use(store);
  } finally {
    await store.close();
  }
}

function openidRecord(): OpenidRecord {
  return {
    model: 'Grant',
    id: `id ${nextSerial()}`,
    body: '{"a":1}',
    grant: null,
    subject: null,
    client: 'client',
    attemptId: null,
    expiresAt: START * 2,
  };
}

/** The `sub` that OpenID clients are told at a sign-in of the person. */
async function subjectOf(store: Store, person: Person): Promise<string> {
  const attempt = sampleAttempt();
  const { attemptId } = attempt;
  await store.insertAttempt(attempt);
  await store.authenticateAttempt(authentication(attempt, { person }));
  const begins = { model: 'Grant', id: attemptId, expiresAt: START * 2 };
  const change = { attemptId, at: START + 2, completionDigest: null, subject: attemptId, begins };
  const consumed = await store.consumeAttempt(change);
  if (consumed === null) throw new Error('the attempt was not consumed');
  return consumed.subject;
}

/** One after the other, so that a step has to go on behind those who stay. */
async function expectTwins(store: Store, twin: Twin): Promise<void> {
  const left: UserId[] = [];
  let sealed = 0;
  for (let found = 1; found > 0;) {
    const step = await store.rotateKeys(1, START + 60, left);
    expect(step.twins.every((one) => one.user === twin.user && one.other === twin.other)).toBe(
      true,
    );
    left.push(...step.twins.map(({ user }) => user));
    sealed += step.sealed;
    found = step.sealed + step.twins.length;
  }
  expect([sealed, left]).toEqual([1, [twin.user]]);
}

async function signIn(store: Store, person: Person): Promise<User> {
  const attempt = sampleAttempt();
  await store.insertAttempt(attempt);
  const login = await store.authenticateAttempt(authentication(attempt, { person }));
  return login?.user ?? expect.unreachable('the login was refused');
}

async function erase(store: Store, { id }: User, keepsOut: boolean): Promise<void> {
  const erased = await store.eraseUser({ userId: id, at: ERASED, pushesOf: [], keepsOut });
  expect(erased).toMatchObject({ attempts: expect.any(Number) as unknown });
}
